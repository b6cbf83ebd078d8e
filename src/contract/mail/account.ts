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
    aliases: Type.Array(Type.String(), { description: 'Other addresses whose mail comes here.' }),
    authenticator_app: Type.Boolean({ description: 'Whether codes of an app are asked for.' }),
    recovery_codes: Type.Integer({ description: 'How many are left.' }),
    passkeys: Type.Array(Passkey),
    passkeys_at: Type.String({ description: 'The origin that passkeys work at.' }),
    confirms_by: Type.Array(Words(['password', 'code', 'passkey']), {
      description: 'By what the owner says again who sits there.',
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
  { $id: 'MailSessions', description: 'Where the mailbox is open, and who has opened it of late.' },
);
export type MailSessions = Type.Static<typeof MailSessions>;

export const ChangeMailPassword = Type.Object(
  {
    current_password: Type.String({ maxLength: MAX_PASSWORD_BYTES }),
    password: NewPassword,
  },
  { $id: 'ChangeMailPassword', additionalProperties: false },
);
