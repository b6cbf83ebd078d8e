/** A message as its reader sees it (docs/web-client.md). */
import { Type } from 'typebox';
import { Id, Nullable, Timestamp, Words } from '../schema.ts';
import { MailMessageSummary } from './conversations.ts';

const Part = Type.String({ description: 'As IMAP counts parts: `1.2`.' });

export const MailTextBlock = Type.Object(
  {
    quote: Type.Integer({ minimum: 0, description: 'How many times it is quoted.' }),
    is_signature: Type.Boolean(),
    runs: Type.Array(
      Type.Object({
        text: Type.String(),
        href: Type.Optional(Type.String({ description: 'http, https or mailto. Absent: it is no link.' })),
      }),
    ),
  },
  { $id: 'MailTextBlock' },
);
export type MailTextBlock = Type.Static<typeof MailTextBlock>;

export const MailAttachment = Type.Object(
  {
    part: Part,
    name: Type.String({ description: 'Without anything that leads elsewhere or turns text round.' }),
    type: Type.String({ description: 'As the message says.' }),
    octets: Type.Integer({ minimum: 0, description: 'About: as it is encoded, less what that adds.' }),
    is_inline: Type.Boolean({ description: 'The HTML shows it where it belongs.' }),
    preview: Nullable(
      Words(['image', 'pdf', 'text'], {
        description:
          'image and text: GET parts/{part}/preview. pdf: a page draws it by itself from parts/{part}; no browser is to open it here. Null: none.',
      }),
    ),
    warning: Nullable(Type.String({ description: 'Why not to open it. Null: nothing is known against it.' })),
  },
  { $id: 'MailAttachment' },
);
export type MailAttachment = Type.Static<typeof MailAttachment>;

export const MailMessage = Type.Object(
  {
    ...MailMessageSummary.properties,
    conversation: Id('thr'),
    text: Type.Array(MailTextBlock, { description: 'What it says as text; of HTML alone, what that says.' }),
    text_is_cut: Type.Boolean({ description: 'There is more of it in the source.' }),
    has_html: Type.Boolean({ description: 'GET html shows it.' }),
    html_height: Nullable(Type.Integer({ description: 'A guess, in pixels, at a width of 700.' })),
    html_folded_height: Nullable(
      Type.Integer({
        description:
          'The same without what it quotes at its end, as `quote=0` of the document leaves it out. Null: it quotes nothing there.',
      }),
    ),
    html_problem: Nullable(
      Type.String({ description: 'Why its HTML is not shown, for people. Null: it is, or it has none.' }),
    ),
    remote: Type.Object({
      count: Type.Integer({ minimum: 0, description: 'Images of elsewhere, 500 at most.' }),
      allowed: Type.Boolean({ description: 'The sender is trusted, and it is proved to be them.' }),
      may_trust: Type.Boolean({
        description: 'It is proved who sent it: PUT trusted-senders would count for it.',
      }),
    }),
    attachments: Type.Array(MailAttachment),
    authentication: Type.Object({
      verdict: Words(['pass', 'fail', 'none', 'unknown'], {
        description: 'As this service found it. unknown: it did not come in by mail, so nobody looked.',
      }),
      text: Type.String(),
      details: Type.Array(Type.String()),
    }),
    warnings: Type.Array(
      Type.Object({
        kind: Words(['forged', 'look-alike', 'name', 'reply-to', 'member', 'link', 'file']),
        text: Type.String(),
      }),
    ),
    unsubscribe: Nullable(
      Type.Object({
        kind: Words(['one-click', 'mailto', 'link'], {
          description: 'one-click: POST unsubscribe does it. mailto: write to address. link: open url.',
        }),
        host: Type.String(),
        address: Nullable(Type.String()),
        subject: Nullable(Type.String()),
        url: Nullable(Type.String()),
      }),
    ),
    invitation: Nullable(
      Type.Object({ part: Part }, { description: 'A calendar comes with it: GET invitation.' }),
    ),
  },
  { $id: 'MailMessage' },
);
export type MailMessage = Type.Static<typeof MailMessage>;

export const MailWaiting = Type.Object(
  {
    other_provider: Nullable(
      Words(['sandbox', 'real'], {
        description:
          'The kind of provider that it was accepted for, where the installation has the other one now. It waits until an operator releases or withdraws it. Null: nothing waits for that.',
      }),
    ),
    recipients: Type.Integer({ minimum: 0, description: 'How many of its recipients wait.' }),
  },
  { $id: 'MailWaiting' },
);
export type MailWaiting = Type.Static<typeof MailWaiting>;

export const MailHtmlQuery = Type.Object(
  {
    theme: Type.Optional(Words(['light', 'dark'], { description: 'Default: light.' })),
    remote: Type.Optional(
      Words(['0', '1'], { description: '1: with images of elsewhere, through this service.' }),
    ),
    quote: Type.Optional(
      Words(['0', '1'], { description: '0: without what it quotes at its end. Default: 1.' }),
    ),
  },
  { additionalProperties: false },
);
export type MailHtmlQuery = Type.Static<typeof MailHtmlQuery>;

const Signature = Type.String({ minLength: 1, maxLength: 100, description: 'As GET html has written it.' });

export const MailRemoteQuery = Type.Object(
  { url: Type.String({ minLength: 1, maxLength: 4_096 }), sig: Signature },
  { additionalProperties: false },
);
export type MailRemoteQuery = Type.Static<typeof MailRemoteQuery>;

export const MailInlineQuery = Type.Object({ sig: Signature }, { additionalProperties: false });
export type MailInlineQuery = Type.Static<typeof MailInlineQuery>;

export const TrustSender = Type.Object(
  {
    address: Type.String({ minLength: 3, maxLength: 320 }),
    trusted: Type.Optional(Type.Boolean({ description: 'false: no longer. Default: true.' })),
  },
  { $id: 'TrustSender', additionalProperties: false },
);
export type TrustSender = Type.Static<typeof TrustSender>;

export const TrustedSenderList = Type.Object(
  {
    data: Type.Array(Type.Object({ address: Type.String(), created_at: Timestamp }), {
      description:
        'By address. Images of elsewhere in their messages are shown, where it is proved that they sent them.',
    }),
  },
  { $id: 'TrustedSenderList' },
);
export type TrustedSenderList = Type.Static<typeof TrustedSenderList>;

export const MailUnsubscribed = Type.Object(
  {
    done: Type.Boolean({ description: 'The sender took it.' }),
    text: Type.String({ description: 'For people: what came of it.' }),
  },
  { $id: 'MailUnsubscribed' },
);
export type MailUnsubscribed = Type.Static<typeof MailUnsubscribed>;
