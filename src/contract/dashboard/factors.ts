/** Sign-in methods other than passwords (codes, passkeys, an OpenID provider), and the sign-in settings of the current user. */
import { type Static, Type } from 'typebox';
import { MAX_PASSWORD_BYTES } from '../password-limits.ts';
import { Id, Nullable, Secret, Timestamp, Words } from '../schema.ts';
import { EmailAddress, UserName } from './users.ts';

/** The maximum length of a ticket, which is sealed and therefore longer than its content. */
const MAX_TICKET = 4_096;
const MAX_CODE = 100;
const MAX_WEBAUTHN = 16_384;
const MAX_TEXT = 2_048;

const Ticket = Type.String({
  maxLength: MAX_TICKET,
  description: 'The ticket from the previous step. It works once, within ten minutes.',
});
const Code = Type.String({ maxLength: MAX_CODE });
const Bytes = Type.String({ maxLength: MAX_WEBAUTHN, description: 'Base64url.' });

export const SignInWays = Type.Object(
  {
    openid: Nullable(Type.Object({ name: Type.String({ description: 'The host of the provider.' }) })),
    passkeys_at: Type.String({ description: 'The origin at which passkeys work.' }),
    sends_mail: Type.Boolean({
      description: 'false: this installation is a sandbox, which delivers mail only to its own mailboxes.',
    }),
    needs_owner: Type.Boolean({
      description:
        'true: no user exists yet. The link that the service prints when it starts creates the first one, its owner.',
    }),
  },
  { $id: 'SignInWays' },
);
export type SignInWays = Type.Static<typeof SignInWays>;

export const FactorMethod = Words(['code', 'passkey', 'recovery-code']);

export const SecondFactor = Type.Object(
  { ticket: Ticket, code: Code },
  {
    $id: 'SecondFactor',
    additionalProperties: false,
    description: 'A code from the authenticator app, or a recovery code.',
  },
);
export type SecondFactor = Static<typeof SecondFactor>;

/** The WebAuthn options, which are passed to browsers unchanged. */
const Options = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true });

export const PasskeyQuestion = Type.Object(
  { ticket: Secret(Ticket), options: Secret(Options) },
  { $id: 'PasskeyQuestion', description: 'For `navigator.credentials`, in the form of WebAuthn Level 3.' },
);
export type PasskeyQuestion = Static<typeof PasskeyQuestion>;

export const AskPasskey = Type.Object(
  {
    ticket: Type.Optional(
      Type.String({
        maxLength: MAX_TICKET,
        description: 'The ticket from the previous step, if this is the second factor.',
      }),
    ),
  },
  { $id: 'AskPasskey', additionalProperties: false },
);

const Attachment = Type.Optional(Words(['platform', 'cross-platform']));
const Extensions = Type.Unsafe<Record<string, never>>({ type: 'object', additionalProperties: true });

const Assertion = Type.Object(
  {
    id: Bytes,
    rawId: Bytes,
    type: Type.Literal('public-key'),
    authenticatorAttachment: Attachment,
    clientExtensionResults: Extensions,
    response: Type.Object(
      {
        clientDataJSON: Bytes,
        authenticatorData: Bytes,
        signature: Bytes,
        userHandle: Type.Optional(Bytes),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
);

export const PasskeyAnswer = Type.Object(
  {
    ticket: Ticket,
    response: Assertion,
    second_factor_ticket: Type.Optional(
      Type.String({ maxLength: MAX_TICKET, description: 'Present if this is the second step.' }),
    ),
  },
  { $id: 'PasskeyAnswer', additionalProperties: false },
);
export type PasskeyAnswer = Type.Static<typeof PasskeyAnswer>;

export const AddPasskey = Type.Object(
  {
    ticket: Ticket,
    name: UserName,
    response: Type.Object(
      {
        id: Bytes,
        rawId: Bytes,
        type: Type.Literal('public-key'),
        authenticatorAttachment: Attachment,
        clientExtensionResults: Extensions,
        response: Type.Object(
          {
            clientDataJSON: Bytes,
            attestationObject: Bytes,
            authenticatorData: Type.Optional(Bytes),
            transports: Type.Optional(Type.Array(Type.String({ maxLength: MAX_CODE }), { maxItems: 20 })),
            publicKeyAlgorithm: Type.Optional(Type.Integer()),
            publicKey: Type.Optional(Bytes),
          },
          { additionalProperties: false },
        ),
      },
      { additionalProperties: false },
    ),
  },
  { $id: 'AddPasskey', additionalProperties: false },
);
export type AddPasskey = Type.Static<typeof AddPasskey>;

export const RenamePasskey = Type.Object(
  { name: UserName },
  { $id: 'RenamePasskey', additionalProperties: false },
);

export const Passkey = Type.Object({
  id: Id('psk'),
  name: Type.String(),
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp),
});
export type Passkey = Type.Static<typeof Passkey>;

const Codes = Nullable(
  Secret(
    Type.Array(Type.String(), {
      description:
        'Shown once. null: the user already had a second factor, and the existing codes remain valid.',
    }),
  ),
);

export const AddedPasskey = Type.Object({ passkey: Passkey, recovery_codes: Codes }, { $id: 'AddedPasskey' });
export type AddedPasskey = Static<typeof AddedPasskey>;

export const NewTotp = Type.Object(
  {
    ticket: Secret(Ticket),
    secret: Secret(Type.String({ description: 'For apps that cannot scan a QR code.' })),
    uri: Secret(Type.String()),
    qr_code: Secret(
      Type.String({ description: 'An SVG image as a data URL: the same secret as a QR code.' }),
    ),
  },
  { $id: 'NewTotp' },
);
export type NewTotp = Static<typeof NewTotp>;

export const ConfirmTotp = Type.Object(
  { ticket: Ticket, code: Code },
  { $id: 'ConfirmTotp', additionalProperties: false },
);
export type ConfirmTotp = Static<typeof ConfirmTotp>;

export const ConfirmedTotp = Type.Object({ recovery_codes: Codes }, { $id: 'ConfirmedTotp' });
export type ConfirmedTotp = Static<typeof ConfirmedTotp>;

export const RecoveryCodes = Type.Object(
  { recovery_codes: Secret(Type.Array(Type.String())) },
  { $id: 'RecoveryCodes', description: 'Shown once. Previous codes stop working.' },
);
export type RecoveryCodes = Static<typeof RecoveryCodes>;

export const Account = Type.Object(
  {
    has_password: Type.Boolean(),
    authenticator_app: Type.Boolean({
      description: 'Whether sign-in requires a code from an authenticator app.',
    }),
    recovery_codes: Type.Integer({ description: 'The number of codes left.' }),
    passkeys: Type.Array(Passkey),
    identities: Type.Array(
      Type.Object({
        id: Id('idn'),
        issuer: Type.String(),
        email: Type.String(),
        created_at: Timestamp,
        last_used_at: Timestamp,
      }),
    ),
    confirms_by: Type.Array(Words(['password', 'code', 'passkey', 'openid']), {
      description: 'The methods with which the user can confirm their identity.',
    }),
  },
  { $id: 'Account', description: 'How the current user signs in.' },
);
export type Account = Type.Static<typeof Account>;

export const StartOpenId = Type.Object(
  {
    return_to: Type.String({
      maxLength: MAX_TEXT,
      description: 'The page to open afterwards, returned unchanged.',
    }),
  },
  { $id: 'StartOpenId', additionalProperties: false },
);

export const StartedOpenId = Type.Object(
  {
    ticket: Secret(Ticket),
    url: Secret(Type.String({ description: "The provider's URL, to which the browser navigates." })),
  },
  { $id: 'StartedOpenId' },
);
export type StartedOpenId = Static<typeof StartedOpenId>;

export const FinishOpenId = Type.Object(
  {
    ticket: Ticket,
    query: Type.String({
      maxLength: MAX_TICKET,
      description: 'The query string of the URL to which the provider redirects the browser.',
    }),
  },
  { $id: 'FinishOpenId', additionalProperties: false },
);

export const FinishedOpenId = Type.Object(
  {
    next: Words(['done', 'second-factor']),
    ticket: Type.Optional(Secret(Ticket)),
    methods: Type.Optional(Type.Array(FactorMethod)),
    return_to: Type.String(),
  },
  { $id: 'FinishedOpenId' },
);
export type FinishedOpenId = Static<typeof FinishedOpenId>;

export const RequestReset = Type.Object(
  { email: EmailAddress },
  { $id: 'RequestReset', additionalProperties: false },
);

/** How the user confirms their identity: exactly one of these methods. */
export const ConfirmSession = Type.Object(
  {
    password: Type.Optional(Type.String({ maxLength: MAX_PASSWORD_BYTES })),
    code: Type.Optional(Code),
    passkey: Type.Optional(
      Type.Object({ ticket: Ticket, response: Assertion }, { additionalProperties: false }),
    ),
  },
  { $id: 'ConfirmSession', additionalProperties: false, minProperties: 1, maxProperties: 1 },
);
export type ConfirmSession = Static<typeof ConfirmSession>;
