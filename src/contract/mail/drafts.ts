/** Drafts. A draft is a message in Drafts that mail apps see too. Each save replaces it with a new message. */
import { Type } from 'typebox';
import { MAX_BYTES_KEYWORD } from '../keywords.ts';
import { Id, MAX_ADDRESS_LENGTH, Nullable, Ref, Timestamp, Words } from '../schema.ts';

/** The maximum in to, cc and bcc together: the same as for submission. */
export const MAX_DRAFT_RECIPIENTS = 100;
export const MAX_DRAFT_ATTACHMENTS = 100;
/** The maximum request body: fits both texts in JSON. */
export const MAX_DRAFT_BYTES = 4 * 1024 * 1024;
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_SUBJECT_LENGTH = 998;
const MAX_NAME_LENGTH = 256;

/** The flag that sending sets on the original message: \Answered or $Forwarded. */
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
      description: 'As it was typed: an unfinished one is kept, and refused when the draft is sent.',
    }),
  },
  { additionalProperties: false },
);
export type DraftPerson = Type.Static<typeof DraftPerson>;

/** An uploaded file, or a part of a message in the mailbox; the response returns an upload for that, too. */
export const DraftFile = Type.Object(
  {
    upload: Type.Optional(Id('upl')),
    message: Type.Optional(Id('msg')),
    part: Type.Optional(
      Nullable(
        Type.String({
          pattern: '^[1-9][0-9]{0,3}(\\.[1-9][0-9]{0,3}){0,20}$',
          description: 'As the attachments of a message name it. Null: the whole message, as message/rfc822.',
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
  to: People('Who it is for.'),
  cc: People('Who gets a copy.'),
  bcc: People('Who gets a copy that the others do not know of.'),
  subject: Type.String({ maxLength: MAX_SUBJECT_LENGTH }),
  html: Nullable(
    Type.String({
      [MAX_BYTES_KEYWORD]: MAX_BODY_BYTES,
      description: 'What is written, as the editor has it. Null: it is plain text.',
    }),
  ),
  text: Type.String({
    [MAX_BYTES_KEYWORD]: MAX_BODY_BYTES,
    description: 'What is written, where html is null; else it is made of html.',
  }),
  quoted_html: Nullable(
    Type.String({
      [MAX_BYTES_KEYWORD]: MAX_BODY_BYTES,
      description:
        'What is answered or handed on, below the signature, so that no editor has to understand it. Null: nothing, or it stands in html.',
    }),
  ),
  with_signature: Type.Boolean({
    description: 'Whether the signature of the mailbox is added, once, above quoted_html.',
  }),
  in_reply_to: Nullable(Type.Unsafe<string>({ ...Id('msg'), description: 'What is answered or handed on.' })),
  mode: Nullable(
    Words(DRAFT_MODES, { description: 'What becomes of in_reply_to when this is sent: it is marked so.' }),
  ),
};

export const SaveDraft = Type.Object(
  {
    client: Type.String({
      pattern: '^[A-Za-z0-9_-]{16,64}$',
      description:
        'A random name of the composer that saves, the same for all its saves: the same save twice makes one draft.',
    }),
    written_at: Type.Optional(
      Type.Unsafe<string>({
        ...Timestamp,
        description:
          'When this was written, by the clock of the composer. A save that comes after a later one of the same composer changes nothing.',
      }),
    ),
    to: writtenFields.to,
    subject: writtenFields.subject,
    html: writtenFields.html,
    text: writtenFields.text,
    from: Type.Optional(writtenFields.from),
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
    is_inline: Type.Boolean({ description: 'It is an image that stands in html.' }),
  },
  { $id: 'DraftAttachment' },
);
export type DraftAttachment = Type.Static<typeof DraftAttachment>;

export const DraftWarning = Type.Object(
  {
    kind: Words(DRAFT_WARNINGS),
    text: Type.String({ description: 'A sentence for who writes.' }),
    suggestion: Nullable(
      Type.String({ description: 'Of a mistyped address: the one that was probably meant.' }),
    ),
  },
  { $id: 'DraftWarning' },
);
export type DraftWarning = Type.Static<typeof DraftWarning>;

export const Draft = Type.Object(
  {
    id: Id('msg'),
    ...writtenFields,
    attachments: Type.Array(Ref(DraftAttachment)),
    octets: Type.Integer({ minimum: 0, description: 'Of the message as it would go out.' }),
    saved_at: Timestamp,
    conflict: Nullable(
      Type.String({
        description:
          'Why this is a draft of its own: the one that was saved over was changed, sent or deleted elsewhere. Nothing is lost.',
      }),
    ),
    warnings: Type.Array(Ref(DraftWarning), { description: 'What its author may want to look at first.' }),
  },
  { $id: 'Draft' },
);
export type Draft = Type.Static<typeof Draft>;

export const REPLY_MODES = ['reply', 'reply-all', 'forward', 'forward-attached'] as const;
export const ReplyQuery = Type.Object(
  {
    mode: Words(REPLY_MODES),
    zone: Type.Optional(
      Type.String({
        maxLength: 64,
        pattern: '^[A-Za-z0-9_+/-]+$',
        description:
          'The time zone of who answers, such as `Europe/Berlin`: the date of what is quoted is given in it. One that is not known is UTC.',
      }),
    ),
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
