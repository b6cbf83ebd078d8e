/** Mailboxes (docs/contract.md, Mailboxes). */
import { Type } from 'typebox';
import { SPAM_LEVELS } from '../model/spam-levels.ts';
import { MAX_BYTES_KEYWORD } from './keywords.ts';
import { MAX_PASSWORD_BYTES, MIN_PASSWORD_LENGTH } from './password-limits.ts';
import {
  EXAMPLE_IDS,
  Id,
  MAX_ADDRESS_LENGTH,
  Nullable,
  PrivateContent,
  Ref,
  Secret,
  Timestamp,
  Words,
} from './schema.ts';

/** The maximum length of a local part in characters. The limit in octets (RFC 5321, section 4.5.3.1.1) is checked later. */
const MAX_LOCAL_PART_LENGTH = 64;
export const MAX_DISPLAY_NAME_LENGTH = 256;
export const MAX_SIGNATURE_BYTES = 64 * 1024;
/** One tebibyte. */
const MAX_QUOTA_MB = 1_048_576;
const DEFAULT_QUOTA_MB = 1_024;
const MAX_DAILY_SEND_LIMIT = 1_000_000;

const NullableSpamLevel = Nullable(
  Words(SPAM_LEVELS, { description: "Null: the project's default applies." }),
);
const DailySendLimit = Nullable(
  Type.Integer({
    minimum: 1,
    maximum: MAX_DAILY_SEND_LIMIT,
    description: 'The number of emails that the mailbox can send per day. Null: no limit of its own.',
  }),
);
const DisplayName = Type.String({
  maxLength: MAX_DISPLAY_NAME_LENGTH,
  description: 'The display name of the sender, on a single line.',
});
const IsCatchAll = Type.Boolean({
  description:
    'Whether the mailbox receives mail to unknown addresses of its domain. A domain can have one such mailbox; the hosted domain can have none.',
});
const SignatureHtml = PrivateContent(
  Type.String({
    [MAX_BYTES_KEYWORD]: MAX_SIGNATURE_BYTES,
    description: 'The signature added to messages written in the web client. At most 64 KB.',
  }),
);
const QUOTA = { minimum: 1, maximum: MAX_QUOTA_MB, description: 'In megabytes.' };
const REPLY_TO = "The address to which replies to the mailbox's mail are sent.";

export const CreateMailbox = Type.Object(
  {
    domain_id: Type.String({ description: 'A domain of the project, or the hosted domain.' }),
    local_part: Type.String({
      minLength: 1,
      maxLength: MAX_LOCAL_PART_LENGTH,
      description:
        'The part before the @. At most 64 bytes, without quotes and without +, which starts a tag: mail to name+tag is delivered to name.',
    }),
    display_name: Type.Optional(DisplayName),
    password: Type.Optional(
      Secret(
        Type.String({
          minLength: MIN_PASSWORD_LENGTH,
          [MAX_BYTES_KEYWORD]: MAX_PASSWORD_BYTES,
          description:
            'The password of the mailbox. At most 1024 bytes. If omitted, one is generated and returned.',
        }),
      ),
    ),
    quota_mb: Type.Integer({ ...QUOTA, default: DEFAULT_QUOTA_MB }),
    daily_send_limit: Type.Optional(DailySendLimit),
    is_catch_all: Type.Optional(IsCatchAll),
    spam_level: Type.Optional(
      Words(SPAM_LEVELS, { description: "If omitted, the project's level applies." }),
    ),
    reply_to: Type.Optional(
      Type.String({ minLength: 1, maxLength: MAX_ADDRESS_LENGTH, description: REPLY_TO }),
    ),
    signature_html: Type.Optional(SignatureHtml),
    is_shared: Type.Optional(
      Type.Boolean({
        description:
          'Whether the mailbox is shared: it has no password and no login of its own. Its members open it with their own logins. Cannot be changed later.',
      }),
    ),
  },
  {
    $id: 'CreateMailbox',
    additionalProperties: false,
    required: ['domain_id', 'local_part'],
    examples: [{ domain_id: EXAMPLE_IDS.dom, local_part: 'support', display_name: 'Acme support' }],
  },
);
export type CreateMailbox = Type.Static<typeof CreateMailbox>;

export const UpdateMailbox = Type.Object(
  {
    display_name: Type.Optional(DisplayName),
    is_catch_all: Type.Optional(IsCatchAll),
    signature_html: Type.Optional(SignatureHtml),
    reply_to: Type.Optional(
      Type.String({ maxLength: MAX_ADDRESS_LENGTH, description: `${REPLY_TO} Empty: no address.` }),
    ),
    spam_level: Type.Optional(NullableSpamLevel),
    quota_mb: Type.Optional(Type.Integer(QUOTA)),
    daily_send_limit: Type.Optional(DailySendLimit),
  },
  {
    $id: 'UpdateMailbox',
    additionalProperties: false,
    description: 'Omitted fields stay unchanged.',
    examples: [{ display_name: 'Acme help desk', spam_level: null }],
  },
);
export type UpdateMailbox = Type.Static<typeof UpdateMailbox>;

const mailboxFields = {
  id: Id('mbx'),
  domain_id: Id('dom'),
  address: Type.String({ description: 'local_part@domain' }),
  local_part: Type.String({ description: 'As provided.' }),
  domain: Type.String({ description: 'In lower case; an internationalized name as A-labels.' }),
  display_name: Nullable(Type.String()),
  is_catch_all: Type.Boolean(),
  quota_mb: Type.Integer({ description: 'In megabytes.' }),
  daily_send_limit: Nullable(Type.Integer({ description: 'Null: no limit of its own.' })),
  spam_level: NullableSpamLevel,
  has_password: Type.Boolean({ description: 'Whether the mailbox has a password to sign in with.' }),
  unread: Type.Integer({ minimum: 0, description: 'The number of unread messages in the inbox.' }),
  created_at: Timestamp,
};
const mailboxExample = {
  id: EXAMPLE_IDS.mbx,
  domain_id: EXAMPLE_IDS.dom,
  address: 'support@acme.example',
  local_part: 'support',
  domain: 'acme.example',
  display_name: 'Acme support',
  is_catch_all: false,
  quota_mb: DEFAULT_QUOTA_MB,
  daily_send_limit: null,
  spam_level: null,
  has_password: true,
  unread: 0,
  created_at: '2026-11-20T15:04:05.123Z',
};

export const Mailbox = Type.Object(mailboxFields, { $id: 'Mailbox', examples: [mailboxExample] });
export type Mailbox = Type.Static<typeof Mailbox>;

export const CreatedMailbox = Type.Object(
  {
    ...mailboxFields,
    password: Type.Optional(
      Secret(Type.String({ description: 'Present only if it was generated. It is never returned again.' })),
    ),
  },
  {
    $id: 'CreatedMailbox',
    examples: [{ ...mailboxExample, password: 'k7mw-3xqd-91hn-tz5c-8rfa-vb2e-6jyp' }],
  },
);
export type CreatedMailbox = Type.Static<typeof CreatedMailbox>;

export const MailboxList = Type.Object(
  { data: Type.Array(Ref(Mailbox), { description: 'Oldest first.' }) },
  { $id: 'MailboxList', examples: [{ data: [mailboxExample] }] },
);
export type MailboxList = Type.Static<typeof MailboxList>;
