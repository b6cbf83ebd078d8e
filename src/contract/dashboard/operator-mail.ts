/** Mail to postmaster and abuse addresses without a mailbox, as operators read it. */
import { Type } from 'typebox';
import { Id, Timestamp } from '../schema.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });

const SUMMARY = {
  id: Id('opm'),
  received_at: Timestamp,
  author: Type.String({ description: 'As the header says; anyone can write anything there.' }),
  reverse_path: Type.String({ description: 'Of the envelope; empty for reports.' }),
  recipients: Type.Array(Type.String(), { description: 'Of the envelope.' }),
  subject: Type.String(),
  octets: count('Of the message.'),
};

const OperatorMailSummary = Type.Object(SUMMARY);

export const OperatorMail = Type.Object(
  {
    messages: count('That are stored.'),
    octets: count('Of all of them.'),
    max_messages: count('With more of them, senders are told to come back later.'),
    max_octets: count('The same.'),
    days: count('After which a message is deleted.'),
    data: Type.Array(OperatorMailSummary, { description: 'The newest first.' }),
  },
  { $id: 'OperatorMail', description: 'Mail to postmaster and abuse for which there is no mailbox.' },
);
export type OperatorMail = Type.Static<typeof OperatorMail>;

export const OperatorMessage = Type.Object(
  {
    ...SUMMARY,
    client_address: Type.String({ description: 'The IP address that it was sent from.' }),
    helo: Type.String({ description: 'What the client called itself.' }),
    header: Type.String({ description: 'As it was received, at most 64 Ki.' }),
    text: Type.String({ description: 'What it says, as plain text, at most 128 Ki.' }),
  },
  { $id: 'OperatorMessage', description: 'One message, as plain text.' },
);
export type OperatorMessage = Type.Static<typeof OperatorMessage>;
