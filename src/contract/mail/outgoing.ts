/** Messages that are waiting to be sent from a mailbox and can still be cancelled. */
import { Type } from 'typebox';
import { Id, Nullable, Ref, Timestamp, Words } from '../schema.ts';
import { DraftPerson } from './drafts.ts';

export const SendDraft = Type.Object(
  {
    send_at: Type.Optional(
      Nullable(
        Type.String({
          format: 'date-time',
          description: 'When to send it, at most a year ahead. Null: after the time for undoing.',
        }),
      ),
    ),
    key: Type.Optional(
      Type.String({
        pattern: '^[\\w-]{16,64}$',
        description:
          'Chosen by a browser that repeats the request until it gets a response. A key sends one message, and is remembered for 30 days.',
      }),
    ),
  },
  { $id: 'SendDraft', additionalProperties: false },
);
export type SendDraft = Type.Static<typeof SendDraft>;

export const Outgoing = Type.Object(
  {
    id: Id('out'),
    status: Words(['waiting', 'sent', 'refused'], {
      description:
        '`waiting`: sending can still be undone. `sent` and `refused` (rejected at the time of sending): listed for a day.',
    }),
    problem: Nullable(Type.String({ description: 'Why it was rejected.' })),
    draft: Nullable(
      Type.Unsafe<string>({
        ...Id('msg'),
        description: 'For a rejected message: the draft that it was turned back into.',
      }),
    ),
    sends_at: Timestamp,
    is_scheduled: Type.Boolean({
      description: 'Whether the message is scheduled, not merely waiting for the time to undo.',
    }),
    recipients: Type.Integer({ minimum: 1 }),
    subject: Type.String(),
    to: Type.Array(DraftPerson),
  },
  { $id: 'Outgoing' },
);
export type Outgoing = Type.Static<typeof Outgoing>;

export const OutgoingList = Type.Object(
  { data: Type.Array(Ref(Outgoing), { description: 'Next one first.' }) },
  { $id: 'OutgoingList' },
);
export type OutgoingList = Type.Static<typeof OutgoingList>;
