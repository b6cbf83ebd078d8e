/** The addresses that a mailbox can send from, and its limits. */
import { Type } from 'typebox';
import { MAX_BYTES_KEYWORD } from '../keywords.ts';
import { MAX_DISPLAY_NAME_LENGTH, MAX_SIGNATURE_BYTES } from '../mailboxes.ts';
import { Id, MAX_ADDRESS_LENGTH, Nullable, Ref } from '../schema.ts';

export const Identity = Type.Object(
  {
    id: Id('snd'),
    address: Type.String(),
    name: Nullable(Type.String()),
    signature_html: Nullable(Type.String({ description: 'Made safe to show.' })),
    reply_to: Nullable(Type.String({ description: 'The Reply-To of its messages.' })),
    bcc_self: Type.Boolean({ description: 'Whether the address receives a blind copy of its messages.' }),
    is_default: Type.Boolean({
      description: 'Whether messages from the address use this identity at first.',
    }),
    is_main: Type.Boolean({
      description:
        'Whether its name and signature are those of the mailbox itself, which the API and the dashboard also set.',
    }),
    is_own: Type.Boolean({
      description: 'False: the identity belongs to another mailbox, whose owner may change it.',
    }),
    is_on_behalf: Type.Boolean({
      description: "Whether recipients also see the mailbox's own address, in Sender.",
    }),
  },
  { $id: 'Identity' },
);
export type Identity = Type.Static<typeof Identity>;

/** The maximum number of identities of a mailbox, besides its main identity. */
export const MAX_IDENTITIES = 50;

export const SaveIdentity = Type.Object(
  {
    address: Type.String({
      maxLength: MAX_ADDRESS_LENGTH,
      description:
        'An address of the mailbox, one of its aliases, or a tagged form. Ignored for the main identity.',
    }),
    name: Nullable(
      Type.String({
        maxLength: MAX_DISPLAY_NAME_LENGTH,
        description: 'A single line. Null: the name of the mailbox; for the main identity, no name.',
      }),
    ),
    reply_to: Nullable(
      Type.String({
        maxLength: MAX_ADDRESS_LENGTH,
        description: 'Any address. Null: the Reply-To of the mailbox, if it has one.',
      }),
    ),
    signature_html: Nullable(
      Type.String({ [MAX_BYTES_KEYWORD]: MAX_SIGNATURE_BYTES, description: 'At most 64 KB.' }),
    ),
    bcc_self: Type.Boolean(),
    is_default: Type.Boolean(),
  },
  { $id: 'SaveIdentity', additionalProperties: false },
);
export type SaveIdentity = Type.Static<typeof SaveIdentity>;

export const Identities = Type.Object(
  {
    data: Type.Array(Ref(Identity), {
      description:
        'The address of the mailbox first, then its aliases, then the addresses of mailboxes for which its owner may send. Of each address, the default identity first.',
    }),
    reply_to: Nullable(Type.String()),
    limits: Type.Object({
      file_bytes: Type.Integer({ description: "The maximum size of one file, by the project's plan." }),
      message_bytes: Type.Integer({ description: 'The maximum size of a whole message as sent.' }),
      recipients: Type.Integer(),
      undo_seconds: Type.Integer({ description: 'How long sending can be undone.' }),
      schedule_days: Type.Integer({ description: 'How far ahead a message can be scheduled.' }),
    }),
  },
  { $id: 'Identities' },
);
export type Identities = Type.Static<typeof Identities>;
