/** Drafts. A draft is a message in the folder Drafts, which mail apps can read too. Each save replaces it with a new message. */
import { Type } from 'typebox';
import { MAX_BYTES_KEYWORD } from '../keywords.ts';
import { Id, MAX_ADDRESS_LENGTH, Nullable, Ref, Secret, Timestamp, Words } from '../schema.ts';
import { TimeZone } from './time-zone.ts';

/** The maximum number of recipients in to, cc and bcc together, as for submission. */
export const MAX_DRAFT_RECIPIENTS = 100;
export const MAX_DRAFT_ATTACHMENTS = 100;
/** The maximum size of a request body. Must be large enough for the plain text and the HTML of a draft, encoded as JSON. */
export const MAX_DRAFT_BYTES = 4 * 1024 * 1024;
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_SUBJECT_LENGTH = 998;
const MAX_NAME_LENGTH = 256;

/**
 * The kinds of drafts that refer to an original message. When a reply is sent, the original message gets the flag \Answered; when a
 * forwarded message is sent, it gets $Forwarded.
 */
export const DRAFT_MODES = ['reply', 'forward'] as const;
export const DRAFT_WARNINGS = [
  'no-subject',
  'forgotten-attachment',
  'many-recipients',
  'mistyped-address',
  'bad-address',
  'too-large',
] as const;

export const DraftPerson = Type.Object(
  {
    name: Type.Optional(Nullable(Type.String({ maxLength: MAX_NAME_LENGTH }))),
    address: Type.String({
      maxLength: MAX_ADDRESS_LENGTH,
      description: 'The address as typed. An incomplete one is saved, and rejected when the draft is sent.',
    }),
  },
  { additionalProperties: false },
);
export type DraftPerson = Type.Static<typeof DraftPerson>;

/**
 * An uploaded file, or a part of a message in the mailbox. Saving a draft copies such parts to uploads, so responses contain only uploads.
 */
export const DraftFile = Type.Object(
  {
    upload: Type.Optional(Id('upl')),
    message: Type.Optional(Id('msg')),
    part: Type.Optional(
      Nullable(
        Type.String({
          pattern: '^[1-9][0-9]{0,3}(\\.[1-9][0-9]{0,3}){0,20}$',
          description:
            "The part as named in a message's attachments. Null: the whole message, as message/rfc822.",
        }),
      ),
    ),
  },
  { additionalProperties: false, description: 'Either upload, or message and part.' },
);
export type DraftFile = Type.Static<typeof DraftFile>;

const People = (what: string) =>
  Type.Array(DraftPerson, { maxItems: MAX_DRAFT_RECIPIENTS, description: what });

const writtenFields = {
  from: Nullable(
    Type.String({
      maxLength: MAX_ADDRESS_LENGTH,
      description: 'An address of the mailbox or one of its aliases. Null: the address of the mailbox.',
    }),
  ),
  identity: Nullable(
    Type.Unsafe<string>({
      ...Id('snd'),
      description:
        'The identity of the sender. Null, or an identity of another address: the default of the address.',
    }),
  ),
  to: People('The To recipients.'),
  cc: People('The Cc recipients.'),
  bcc: People('The Bcc recipients.'),
  subject: Type.String({ maxLength: MAX_SUBJECT_LENGTH }),
  html: Nullable(
    Type.String({
      [MAX_BYTES_KEYWORD]: MAX_BODY_BYTES,
      description: 'The HTML from the editor. Null: the draft is plain text.',
    }),
  ),
  text: Type.String({
    [MAX_BYTES_KEYWORD]: MAX_BODY_BYTES,
    description: 'The text, if html is null; otherwise it is generated from html.',
  }),
  quoted_html: Nullable(
    Type.String({
      [MAX_BYTES_KEYWORD]: MAX_BODY_BYTES,
      description:
        'The quoted original below the signature, kept apart so that the editor need not parse it. Null: none, or it is part of html.',
    }),
  ),
  with_signature: Type.Boolean({
    description: 'Whether the mailbox signature is added, once, above quoted_html.',
  }),
  in_reply_to: Nullable(
    Type.Unsafe<string>({ ...Id('msg'), description: 'The message that is replied to or forwarded.' }),
  ),
  mode: Nullable(
    Words(DRAFT_MODES, { description: 'How the in_reply_to message is marked when the draft is sent.' }),
  ),
};

export const SaveDraft = Type.Object(
  {
    client: Type.String({
      pattern: '^[A-Za-z0-9_-]{16,64}$',
      description:
        'A random name that the composer sends with every save of a draft, so that a repeated save does not create a second draft.',
    }),
    written_at: Type.Optional(
      Type.Unsafe<string>({
        ...Timestamp,
        description:
          "The time of the save by the composer's clock. A save that arrives after a later one of the same composer is ignored.",
      }),
    ),
    to: writtenFields.to,
    subject: writtenFields.subject,
    html: writtenFields.html,
    text: writtenFields.text,
    from: Type.Optional(writtenFields.from),
    identity: Type.Optional(writtenFields.identity),
    cc: Type.Optional(writtenFields.cc),
    bcc: Type.Optional(writtenFields.bcc),
    quoted_html: Type.Optional(writtenFields.quoted_html),
    with_signature: Type.Optional(writtenFields.with_signature),
    in_reply_to: Type.Optional(writtenFields.in_reply_to),
    mode: Type.Optional(writtenFields.mode),
    attachments: Type.Optional(Type.Array(DraftFile, { maxItems: MAX_DRAFT_ATTACHMENTS })),
  },
  {
    $id: 'SaveDraft',
    additionalProperties: false,
    examples: [
      {
        client: 'c7f3a9d2e5b84f06',
        written_at: '2026-11-20T15:04:05.123Z',
        from: null,
        to: [{ name: 'Ann', address: 'ann@acme.example' }],
        cc: [],
        bcc: [],
        subject: 'The offer',
        html: '<p>Here it is.</p>',
        text: '',
        quoted_html: null,
        with_signature: true,
        attachments: [],
        in_reply_to: null,
        mode: null,
      },
    ],
  },
);
export type SaveDraft = Type.Static<typeof SaveDraft>;

export const DraftAttachment = Type.Object(
  {
    upload: Id('upl'),
    name: Type.String(),
    type: Type.String(),
    octets: Type.Integer({ minimum: 0 }),
    url: Type.String(),
    is_inline: Type.Boolean({ description: 'Whether it is an image embedded in html.' }),
  },
  { $id: 'DraftAttachment' },
);
export type DraftAttachment = Type.Static<typeof DraftAttachment>;

export const DraftWarning = Type.Object(
  {
    kind: Words(DRAFT_WARNINGS),
    text: Type.String({ description: 'One sentence for the author.' }),
    suggestion: Nullable(
      Type.String({ description: 'For a mistyped address: the one that was probably meant.' }),
    ),
  },
  { $id: 'DraftWarning' },
);
export type DraftWarning = Type.Static<typeof DraftWarning>;

export const Draft = Type.Object(
  {
    id: Id('msg'),
    ...writtenFields,
    // Secret, because a draft may contain file links of its author, next to quoted text that an attacker wrote.
    html: Secret(writtenFields.html),
    text: Secret(writtenFields.text),
    attachments: Type.Array(Ref(DraftAttachment)),
    octets: Type.Integer({ minimum: 0, description: 'The size of the message as it would be sent.' }),
    saved_at: Timestamp,
    conflict: Nullable(
      Type.String({
        description:
          'Why this became a separate draft: the original was changed, sent or deleted elsewhere. Nothing is lost.',
      }),
    ),
    warnings: Type.Array(Ref(DraftWarning), {
      description: 'Warnings for the author to check before sending.',
    }),
  },
  { $id: 'Draft' },
);
export type Draft = Type.Static<typeof Draft>;

export const REPLY_MODES = ['reply', 'reply-all', 'forward', 'forward-attached'] as const;
export const ReplyQuery = Type.Object(
  {
    mode: Words(REPLY_MODES),
    zone: Type.Optional(TimeZone),
  },
  { additionalProperties: false },
);
export type ReplyQuery = Type.Static<typeof ReplyQuery>;

/** A new draft that is not saved yet. */
export const Reply = Type.Object(
  { ...writtenFields, attachments: Type.Array(Ref(DraftAttachment)) },
  { $id: 'Reply' },
);
export type Reply = Type.Static<typeof Reply>;
