/** A message for reading in the web client (docs/web-client.md). */
import { Type } from 'typebox';
import { Id, Nullable, Timestamp, Words } from '../schema.ts';
import { MailMessageSummary } from './conversations.ts';
import { TimeZone } from './time-zone.ts';

const Part = Type.String({ description: 'A part number as in IMAP: `1.2`.' });

export const MailTextRun = Type.Object({
  text: Type.String(),
  href: Type.Optional(Type.String({ description: 'http, https or mailto. Absent: plain text.' })),
});
export type MailTextRun = Type.Static<typeof MailTextRun>;

export const MailTextBlock = Type.Object(
  {
    quote: Type.Integer({ minimum: 0, description: 'The level of quotation.' }),
    is_signature: Type.Boolean(),
    runs: Type.Array(MailTextRun),
  },
  { $id: 'MailTextBlock' },
);
export type MailTextBlock = Type.Static<typeof MailTextBlock>;

export const MailAttachment = Type.Object(
  {
    part: Part,
    name: Type.String({
      description: 'The file name, without path separators and bidirectional control characters.',
    }),
    type: Type.String({ description: 'The declared media type.' }),
    octets: Type.Integer({
      minimum: 0,
      description: 'The approximate size, computed from the encoded size.',
    }),
    is_inline: Type.Boolean({ description: 'Whether the HTML shows it inline.' }),
    preview: Nullable(
      Words(['image', 'pdf', 'text', 'message'], {
        description:
          'image and text: use GET parts/{part}/preview. message: use part of GET of the message. pdf: render it in the page from parts/{part}; browsers must not open it on this host. Null: no preview.',
      }),
    ),
    warning: Nullable(Type.String({ description: 'Why the file may be dangerous. Null: no known risk.' })),
  },
  { $id: 'MailAttachment' },
);
export type MailAttachment = Type.Static<typeof MailAttachment>;

export const MailMessage = Type.Object(
  {
    ...MailMessageSummary.properties,
    part: Nullable({
      ...Part,
      description: 'The part of the message that contains this message. Null: a message of the mailbox.',
    }),
    conversation: Id('thr'),
    sent_by: Nullable(
      Type.String({
        description:
          'The address of the member who sent the message for the shared mailbox. Null: the message was not sent by a member.',
      }),
    ),
    text: Type.Array(MailTextBlock, {
      description: 'The text of the message, or the text of its HTML if it has no text part.',
    }),
    text_is_cut: Type.Boolean({
      description: 'Whether the text is truncated. The source contains all of it.',
    }),
    has_html: Type.Boolean({ description: 'Whether there is HTML to show with GET html.' }),
    html_dark: Type.Boolean({
      description:
        'Whether the HTML can be dark: it has styles for a dark theme, or its colors can be converted.',
    }),
    html_height: Nullable(
      Type.Integer({
        description: 'The estimated height in pixels at a width of 700. The frame reports the exact height.',
      }),
    ),
    html_folded_height: Nullable(
      Type.Integer({
        description:
          'The height without the quotation at the end, as with `quote=0`. Null: there is no such quotation.',
      }),
    ),
    html_problem: Nullable(
      Type.String({
        description:
          'Why the HTML of the message is not shown, as text for the user. Null: it is shown, or there is none.',
      }),
    ),
    remote: Type.Object({
      count: Type.Integer({ minimum: 0, description: 'The number of remote images, at most 500.' }),
      allowed: Type.Boolean({ description: 'Whether the sender is trusted and authenticated.' }),
      may_trust: Type.Boolean({
        description: 'Whether the sender is authenticated, so that PUT trusted-senders would apply to it.',
      }),
    }),
    attachments: Type.Array(MailAttachment),
    authentication: Type.Object({
      verdict: Words(['pass', 'fail', 'none', 'unknown'], {
        description:
          "The result of this service's own check. unknown: the message was not received by mail and was not checked.",
      }),
      text: Type.String(),
      details: Type.Array(Type.String()),
    }),
    spam: Nullable(
      Type.Object(
        { text: Type.String(), details: Type.Array(Type.String()) },
        {
          description:
            'Why the message was put into Junk or not when it was received, as text for the user. Null: it was not received by mail.',
        },
      ),
    ),
    warnings: Type.Array(
      Type.Object({
        kind: Words(['forged', 'look-alike', 'name', 'reply-to', 'member', 'link', 'file']),
        text: Type.String(),
      }),
    ),
    unsubscribe: Nullable(
      Type.Object({
        kind: Words(['one-click', 'mailto', 'link'], {
          description: 'one-click: use POST unsubscribe. mailto: write to address. link: open url.',
        }),
        host: Type.String(),
        address: Nullable(Type.String()),
        subject: Nullable(Type.String()),
        url: Nullable(Type.String()),
      }),
    ),
    invitation: Nullable(
      Type.Object(
        { part: Part },
        { description: 'The message contains a calendar invitation: use GET invitation.' },
      ),
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
          'The kind of provider that the message was accepted for, if the installation now has the other kind. The message waits until an operator releases or withdraws it. Null: it is not waiting for an operator.',
      }),
    ),
    recipients: Type.Integer({ minimum: 0, description: 'The number of recipients waiting.' }),
  },
  { $id: 'MailWaiting' },
);
export type MailWaiting = Type.Static<typeof MailWaiting>;

const AttachedPart = Type.Optional(
  Type.String({
    pattern: '^[1-9][0-9]{0,3}(\\.[1-9][0-9]{0,3}){0,20}$',
    description: 'The part that contains an attached message, to read instead of the message: `2`, `2.1`.',
  }),
);

export const MailMessageQuery = Type.Object({ part: AttachedPart }, { additionalProperties: false });
export type MailMessageQuery = Type.Static<typeof MailMessageQuery>;

export const MailHtmlQuery = Type.Object(
  {
    part: AttachedPart,
    theme: Type.Optional(
      Words(['light', 'dark', 'sheet'], {
        description:
          'sheet: light, with a white background and a margin, for a dark page. A message that cannot be dark is a sheet. Default: light.',
      }),
    ),
    remote: Type.Optional(Words(['0', '1'], { description: '1: load remote images through this service.' })),
    quote: Type.Optional(Words(['0', '1'], { description: '0: omit the quotation at the end. Default: 1.' })),
  },
  { additionalProperties: false },
);
export type MailHtmlQuery = Type.Static<typeof MailHtmlQuery>;

export const MailPrintQuery = Type.Object(
  { part: AttachedPart, remote: MailHtmlQuery.properties.remote, zone: Type.Optional(TimeZone) },
  { additionalProperties: false },
);
export type MailPrintQuery = Type.Static<typeof MailPrintQuery>;

const Signature = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The signature in the URL written by GET html.',
});

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
    trusted: Type.Optional(Type.Boolean({ description: 'false: no longer trusted. Default: true.' })),
  },
  { $id: 'TrustSender', additionalProperties: false },
);
export type TrustSender = Type.Static<typeof TrustSender>;

export const TrustedSenderList = Type.Object(
  {
    data: Type.Array(Type.Object({ address: Type.String(), created_at: Timestamp }), {
      description:
        'Sorted by address. Remote images in messages from these senders are shown if the sender is authenticated.',
    }),
  },
  { $id: 'TrustedSenderList' },
);
export type TrustedSenderList = Type.Static<typeof TrustedSenderList>;

export const MailUnsubscribed = Type.Object(
  {
    done: Type.Boolean({ description: 'Whether the sender accepted the request.' }),
    text: Type.String({ description: 'The result, as text for the user.' }),
  },
  { $id: 'MailUnsubscribed' },
);
export type MailUnsubscribed = Type.Static<typeof MailUnsubscribed>;
