/** The sign-in methods and sessions of a mailbox owner. */
import { Type } from 'typebox';
import { Passkey } from '../dashboard/factors.ts';
import { MailboxSignIns } from '../dashboard/mailboxes.ts';
import { SessionList } from '../dashboard/users.ts';
import { MAX_PASSWORD_BYTES } from '../password-limits.ts';
import { NewPassword } from '../dashboard/users.ts';
import { Words } from '../schema.ts';

export const MailOwnAccount = Type.Object(
  {
    address: Type.String(),
    aliases: Type.Array(Type.String(), { description: 'Aliases that deliver to this mailbox.' }),
    authenticator_app: Type.Boolean({
      description: 'Whether sign-in requires a code from an authenticator app.',
    }),
    recovery_codes: Type.Integer({ description: 'The number of codes left.' }),
    passkeys: Type.Array(Passkey),
    passkeys_at: Type.String({ description: 'The origin at which passkeys work.' }),
    confirms_by: Type.Array(Words(['password', 'code', 'passkey']), {
      description: 'The methods with which the owner can confirm their identity.',
    }),
  },
  { $id: 'MailOwnAccount', description: 'How the owner signs in.' },
);
export type MailOwnAccount = Type.Static<typeof MailOwnAccount>;

export const MailSessions = Type.Object(
  {
    browsers: SessionList.properties.data,
    apps: MailboxSignIns.properties.sessions,
    sign_ins: MailboxSignIns.properties.sign_ins,
  },
  { $id: 'MailSessions', description: 'The open sessions and recent sign-ins of the mailbox.' },
);
export type MailSessions = Type.Static<typeof MailSessions>;

export const ChangeMailPassword = Type.Object(
  {
    current_password: Type.String({ maxLength: MAX_PASSWORD_BYTES }),
    password: NewPassword,
  },
  { $id: 'ChangeMailPassword', additionalProperties: false },
);
