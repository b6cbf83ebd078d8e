/** The web client's sessions: a browser can be signed in to several mailboxes, each with its own session. */
import { Type } from 'typebox';
import { FactorMethod } from '../dashboard/factors.ts';
import { MAX_PASSWORD_BYTES } from '../password-limits.ts';
import { MAILBOX_ACCESS } from '../../model/mailbox-rights.ts';
import { Id, MAX_ADDRESS_LENGTH, Nullable, Secret, Timestamp, Words } from '../schema.ts';

export const MailSignIn = Type.Object(
  {
    address: Type.String({ minLength: 1, maxLength: MAX_ADDRESS_LENGTH }),
    // Any text is valid here. A text that cannot be a password is rejected like a wrong password, not with a validation error.
    password: Type.String({ maxLength: MAX_PASSWORD_BYTES }),
  },
  { $id: 'MailSignIn', additionalProperties: false },
);

export const MailAccount = Type.Object(
  {
    mailbox: Id('mbx'),
    address: Type.String(),
    display_name: Nullable(Type.String()),
    session_id: Id('ses'),
    csrf_token: Secret(
      Type.String({
        description:
          'The X-CSRF-Token of every request about this mailbox other than GET. It stays the same for the whole session. For a shared mailbox, it also tells which member makes the change.',
      }),
    ),
    confirmed_until: Type.Unsafe<string>({
      ...Timestamp,
      description:
        'The time until which passwords and similar settings can be changed without another confirmation of identity.',
    }),
    shared: Nullable(
      Type.Object(
        {
          member: Id('mbx'),
          access: Words(MAILBOX_ACCESS),
          unread: Type.Integer({ minimum: 0, description: 'The number of unread messages in the Inbox.' }),
        },
        {
          description:
            'The mailbox that this browser is signed in to as a member of this mailbox, and its access. Null: the browser is signed in to this mailbox itself.',
        },
      ),
    ),
  },
  { $id: 'MailAccount', description: 'A mailbox that this browser can open.' },
);
export type MailAccount = Type.Static<typeof MailAccount>;

export const MailAccounts = Type.Object(
  {
    accounts: Type.Array(MailAccount, {
      description:
        'In the order of sign-in, then the shared mailboxes, each once for every member that this browser is signed in to. Empty: not signed in.',
    }),
    not_sending_since: Type.Unsafe<string | null>({
      ...Nullable(Timestamp),
      description:
        'The time since which this installation has sent no mail, because it has no provider. Mail is accepted and queued. Null: mail is sent, or no mailbox is signed in.',
    }),
  },
  { $id: 'MailAccounts' },
);
export type MailAccounts = Type.Static<typeof MailAccounts>;

export const MailSignInAnswer = Type.Object(
  {
    account: Type.Optional(MailAccount),
    second_factor: Type.Optional(
      Type.Object({
        ticket: Secret(Type.String()),
        methods: Type.Array(FactorMethod),
      }),
    ),
  },
  {
    $id: 'MailSignInAnswer',
    description:
      'The new session; or, for users with a second factor, the methods to continue with and the ticket.',
  },
);
export type MailSignInAnswer = Type.Static<typeof MailSignInAnswer>;
