/** The addresses that a mailbox can send from, and its limits. */
import { Type } from 'typebox';
import { Nullable, Ref } from '../schema.ts';

export const Identity = Type.Object(
  {
    address: Type.String(),
    name: Nullable(Type.String()),
    signature_html: Nullable(Type.String({ description: 'Made safe to show.' })),
    is_on_behalf: Type.Boolean({
      description: "Whether recipients also see the mailbox's own address, in Sender.",
    }),
  },
  { $id: 'Identity' },
);
export type Identity = Type.Static<typeof Identity>;

export const Identities = Type.Object(
  {
    data: Type.Array(Ref(Identity), {
      description:
        'The address of the mailbox first, then its aliases, then the addresses of mailboxes for which its owner may send.',
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
