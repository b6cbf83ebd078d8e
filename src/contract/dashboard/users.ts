/** Signing in to the dashboard, sessions and links. */
import { Type } from 'typebox';
import { ROLES } from '../../model/roles.ts';
import { MAX_BYTES_KEYWORD } from '../keywords.ts';
import { MAX_PASSWORD_BYTES, MIN_PASSWORD_LENGTH } from '../password-limits.ts';
import { Id, MAX_ADDRESS_LENGTH, Nullable, Secret, Timestamp, Words } from '../schema.ts';

const MAX_NAME = 100;
const MAX_TOKEN = 256;

export const UserName = Type.String({ minLength: 1, maxLength: MAX_NAME, description: 'A single line.' });
export const EmailAddress = Type.String({ minLength: 1, maxLength: MAX_ADDRESS_LENGTH });
export const NewPassword = Type.String({
  minLength: MIN_PASSWORD_LENGTH,
  [MAX_BYTES_KEYWORD]: MAX_PASSWORD_BYTES,
  description: `At least ${MIN_PASSWORD_LENGTH} characters.`,
});
/** Any text is valid here. A text that cannot be a password is rejected like a wrong password, not with a validation error. */
const Password = Type.String({ maxLength: MAX_PASSWORD_BYTES });
const LinkToken = Type.String({ maxLength: MAX_TOKEN, description: 'The part of the link after #.' });

export const SignIn = Type.Object(
  { email: EmailAddress, password: Password },
  { $id: 'SignIn', additionalProperties: false },
);

export const SignInAnswer = Type.Object(
  {
    next: Words(['done', 'second-factor'], {
      description:
        '`done`: the session has started. `second-factor`: continue with one of the methods and the ticket.',
    }),
    ticket: Type.Optional(Secret(Type.String())),
    methods: Type.Optional(Type.Array(Words(['code', 'passkey', 'recovery-code']))),
  },
  { $id: 'SignInAnswer' },
);
export type SignInAnswer = Type.Static<typeof SignInAnswer>;

export const Confirmation = Type.Object(
  { confirmed_until: Timestamp },
  { $id: 'Confirmation', description: 'The time until which no further confirmation is required.' },
);

export const SessionList = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        id: Id('ses'),
        is_current: Type.Boolean({ description: 'Whether this is the current session.' }),
        address: Type.String({ description: 'The IP address from which the session was started.' }),
        user_agent: Type.String(),
        created_at: Timestamp,
        last_used_at: Timestamp,
      }),
    ),
  },
  { $id: 'SessionList', description: 'Most recently used first.' },
);
export type SessionList = Type.Static<typeof SessionList>;

export const ChangePassword = Type.Object(
  { current_password: Password, password: NewPassword },
  { $id: 'ChangePassword', additionalProperties: false },
);

export const UpdateUser = Type.Object({ name: UserName }, { $id: 'UpdateUser', additionalProperties: false });

export const FindLink = Type.Object({ token: LinkToken }, { $id: 'FindLink', additionalProperties: false });

export const SignInLink = Type.Object(
  {
    purpose: Words(['welcome', 'reset', 'invitation']),
    email: Nullable(
      Type.String({ description: 'The address that the link is for; null: anyone who has the link.' }),
    ),
    organization: Nullable(Type.String({ description: 'The organization of an invitation.' })),
    role: Nullable(Words(ROLES)),
    invited_by: Nullable(Type.String()),
    awaits_confirmation: Type.Boolean({
      description: 'An owner of the organization or an operator must confirm the invitation first.',
    }),
    has_account: Type.Boolean({
      description:
        'Whether the invited person already has an account, and needs neither a name nor a password.',
    }),
    expires_at: Timestamp,
  },
  { $id: 'SignInLink', description: 'The purpose of a link.' },
);
export type SignInLink = Type.Static<typeof SignInLink>;

export const Welcome = Type.Object(
  {
    token: LinkToken,
    name: UserName,
    email: EmailAddress,
    password: NewPassword,
    organization: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_NAME,
        description: 'The new name of the first organization.',
      }),
    ),
  },
  { $id: 'Welcome', additionalProperties: false },
);

export const ResetPassword = Type.Object(
  { token: LinkToken, password: NewPassword },
  { $id: 'ResetPassword', additionalProperties: false },
);

export const AcceptInvitation = Type.Object(
  { token: LinkToken, name: Type.Optional(UserName), password: Type.Optional(NewPassword) },
  { $id: 'AcceptInvitation', additionalProperties: false },
);

export const AcceptedInvitation = Type.Object(
  {
    next: Words(['done', 'sign-in'], {
      description:
        '`done`: the session of the new member has started. `sign-in`: the address already has an account. Nothing has changed: sign in to that account first.',
    }),
  },
  { $id: 'AcceptedInvitation' },
);
