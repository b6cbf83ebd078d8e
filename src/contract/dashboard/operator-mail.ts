/** Mail to postmaster and abuse addresses without a mailbox, as operators read it. */
import { Type } from 'typebox';
import { Id, Timestamp } from '../schema.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });

const SUMMARY = {
  id: Id('opm'),
  received_at: Timestamp,
  author: Type.String({ description: 'The From header, which can be forged.' }),
  reverse_path: Type.String({ description: 'The envelope sender; empty for reports.' }),
  recipients: Type.Array(Type.String(), { description: 'The envelope recipients.' }),
  subject: Type.String(),
  octets: count('The size of the message.'),
};

const OperatorMailSummary = Type.Object(SUMMARY);

export const OperatorMail = Type.Object(
  {
    messages: count('The number of stored messages.'),
    octets: count('The total size of stored messages.'),
    max_messages: count(
      'The maximum number of stored messages. Beyond it, senders get a temporary rejection.',
    ),
    max_octets: count('The maximum total size. Beyond it, senders get a temporary rejection.'),
    days: count('The number of days after which a message is deleted.'),
    data: Type.Array(OperatorMailSummary, { description: 'Newest first.' }),
  },
  { $id: 'OperatorMail', description: 'Mail to postmaster and abuse addresses without a mailbox.' },
);
export type OperatorMail = Type.Static<typeof OperatorMail>;

export const OperatorMessage = Type.Object(
  {
    ...SUMMARY,
    client_address: Type.String({ description: 'The IP address of the sending client.' }),
    helo: Type.String({ description: 'The name that the client gave in HELO.' }),
    header: Type.String({ description: 'The received header, at most 64 KiB.' }),
    text: Type.String({ description: 'The body as plain text, at most 128 KiB.' }),
  },
  { $id: 'OperatorMessage', description: 'A message as plain text.' },
);
export type OperatorMessage = Type.Static<typeof OperatorMessage>;
