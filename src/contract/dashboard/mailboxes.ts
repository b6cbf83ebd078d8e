/** Mailboxes as the dashboard shows them: their settings and their sign-ins, never their mail (docs/mailboxes.md, In the dashboard). */
import { type Static, Type } from 'typebox';
import { LOCK_REASONS } from '../../model/lock-reasons.ts';
import { MAIL_DOORS } from '../../model/mail-doors.ts';
import { SPAM_LEVELS } from '../../model/spam-levels.ts';
import { MAX_BYTES_KEYWORD } from '../keywords.ts';
import { Mailbox, UpdateMailbox } from '../mailboxes.ts';
import { MAX_PASSWORD_BYTES, MIN_PASSWORD_LENGTH } from '../password-limits.ts';
import { Id, Nullable, Ref, Secret, Timestamp, Words } from '../schema.ts';

const Time = Type.String({ format: 'date-time' });
const Octets = Type.Integer({ minimum: 0, description: 'The size of its messages in all folders.' });
const LastSignIn = Nullable(
  Type.String({
    format: 'date-time',
    description: 'Accurate to ten minutes, or to a day if it was before the upgrade.',
  }),
);
const IsShared = Type.Boolean({ description: 'Whether the mailbox has no login of its own.' });
const { unread: _unread, ...shown } = Mailbox.properties;

export const DashboardMailboxSummary = Type.Object(
  {
    id: Id('mbx'),
    address: Type.String(),
    display_name: Nullable(Type.String()),
    is_catch_all: Type.Boolean(),
    is_shared: IsShared,
    octets: Octets,
    quota_mb: shown.quota_mb,
    sending_locked: Nullable(
      Words(LOCK_REASONS, { description: 'Why the mailbox cannot send. Null: it can send.' }),
    ),
    last_signed_in_at: LastSignIn,
    created_at: Timestamp,
  },
  { $id: 'DashboardMailboxSummary' },
);
export type DashboardMailboxSummary = Type.Static<typeof DashboardMailboxSummary>;

export const DashboardMailboxPage = Type.Object(
  {
    data: Type.Array(Ref(DashboardMailboxSummary), { description: 'Sorted by domain and address.' }),
    next_cursor: Nullable(Type.String()),
  },
  { $id: 'DashboardMailboxPage' },
);
export type DashboardMailboxPage = Type.Static<typeof DashboardMailboxPage>;

export const DashboardMailboxQuery = Type.Object(
  {
    q: Type.Optional(Type.String({ maxLength: 200, description: 'A part of the address or name.' })),
    cursor: Type.Optional(Type.String({ maxLength: 600 })),
    limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
  },
  { additionalProperties: false },
);
export type DashboardMailboxQuery = Type.Static<typeof DashboardMailboxQuery>;

const MailAccess = Type.Object(
  {
    hostname: Type.String(),
    services: Type.Array(
      Type.Object({
        protocol: Words(['imap', 'pop3', 'submission']),
        security: Words(['tls', 'starttls', 'none']),
        port: Type.Integer(),
      }),
      { description: 'The servers that mail apps are offered, best first.' },
    ),
  },
  { description: 'The settings for mail apps. The user name is the address.' },
);

export const DashboardMailbox = Type.Object(
  {
    ...shown,
    is_shared: IsShared,
    reply_to: Nullable(Type.String()),
    signature_html: Nullable(Type.String()),
    empty_folders: Type.Boolean({
      description: 'Whether messages are deleted after 30 days in Junk or Trash.',
    }),
    save_sent: Type.Boolean({ description: 'Whether sent messages are saved in Sent.' }),
    project_spam_level: Words(SPAM_LEVELS, {
      description: 'The level that applies if the spam level is null.',
    }),
    octets: Octets,
    messages: Type.Integer({ minimum: 0, description: 'The number of messages in all folders.' }),
    full_since: Nullable(
      Type.String({
        format: 'date-time',
        description: 'The time since which messages have been rejected because the mailbox is full.',
      }),
    ),
    sending_lock: Type.Union([Type.Object({ locked_at: Time, reason: Words(LOCK_REASONS) }), Type.Null()], {
      description: 'Null: the mailbox can send.',
    }),
    second_factor_since: Nullable(Time),
    last_signed_in_at: LastSignIn,
    aliases: Type.Array(Type.Object({ id: Id('als'), address: Type.String() }), {
      description: 'Aliases that deliver to it, oldest first.',
    }),
    only_mailbox_of: Type.Integer({
      minimum: 0,
      description: 'The number of aliases that are deleted together with it.',
    }),
    mail_access: MailAccess,
  },
  { $id: 'DashboardMailbox' },
);
export type DashboardMailbox = Type.Static<typeof DashboardMailbox>;

export const ChangeMailbox = Type.Object(
  {
    ...UpdateMailbox.properties,
    empty_folders: Type.Optional(Type.Boolean()),
    save_sent: Type.Optional(Type.Boolean()),
  },
  { $id: 'ChangeMailbox', additionalProperties: false },
);
export type ChangeMailbox = Type.Static<typeof ChangeMailbox>;

export const SetMailboxPassword = Type.Object(
  {
    password: Type.Optional(
      Type.String({
        minLength: MIN_PASSWORD_LENGTH,
        [MAX_BYTES_KEYWORD]: MAX_PASSWORD_BYTES,
        description: 'If omitted, one is generated and returned.',
      }),
    ),
  },
  { $id: 'SetMailboxPassword', additionalProperties: false },
);

export const MailboxPassword = Type.Object(
  {
    password: Nullable(
      Secret(Type.String({ description: 'Present if it was generated. Returned only in this response.' })),
    ),
  },
  { $id: 'MailboxPassword' },
);

const ACCESS = ['read', 'everything'] as const;
const Access = Words(ACCESS, { description: 'read: read-only, and no sending.' });
const appPasswordFields = { id: Id('app'), name: Type.String(), access: Access };

export const AppPassword = Type.Object(
  {
    ...appPasswordFields,
    created_at: Timestamp,
    last_used_at: Nullable(Type.String({ format: 'date-time', description: 'Accurate to an hour.' })),
  },
  { $id: 'AppPassword' },
);
export type AppPassword = Type.Static<typeof AppPassword>;

export const AppPasswordList = Type.Object(
  { data: Type.Array(Ref(AppPassword), { description: 'Oldest first.' }) },
  { $id: 'AppPasswordList' },
);
export type AppPasswordList = Static<typeof AppPasswordList>;

export const CreateAppPassword = Type.Object(
  { name: Type.String({ maxLength: 100 }), access: Access },
  { $id: 'CreateAppPassword', additionalProperties: false },
);
export type CreateAppPassword = Type.Static<typeof CreateAppPassword>;

export const CreatedAppPassword = Type.Object(
  { ...appPasswordFields, password: Secret(Type.String({ description: 'Returned only in this response.' })) },
  { $id: 'CreatedAppPassword' },
);
export type CreatedAppPassword = Type.Static<typeof CreatedAppPassword>;

const opening = {
  door: Words(MAIL_DOORS),
  address: Type.String({ description: 'The IP address.' }),
  app_password: Nullable(
    Type.String({
      description: 'The name of the app password; empty if it is revoked. Null: the mailbox password.',
    }),
  ),
};

export const MailboxSignIns = Type.Object(
  {
    sessions: Type.Array(
      Type.Object({
        ...opening,
        connections: Type.Integer({ minimum: 1 }),
        since: Time,
      }),
      { description: 'The open connections as of a few seconds ago: newest first, at most 100.' },
    ),
    sign_ins: Type.Array(Type.Object({ ...opening, signed_in_at: Time }), {
      description: 'The last sign-in for each protocol and address, newest first.',
    }),
  },
  { $id: 'MailboxSignIns' },
);
export type MailboxSignIns = Type.Static<typeof MailboxSignIns>;

export const UnlockedMailbox = Type.Object(
  { was_locked_for_sending: Type.Boolean() },
  { $id: 'UnlockedMailbox' },
);
