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
          description:
            'When it is to go out, a year ahead at most. Null: now, which is in ten seconds, so that it may be taken back.',
        }),
      ),
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
        'What waits may be taken back. What is sent, or was refused when its time came, is told for a day.',
    }),
    problem: Nullable(Type.String({ description: 'Why it was refused, in words.' })),
    draft: Nullable(
      Type.Unsafe<string>({ ...Id('msg'), description: 'Of what was refused: the draft that it is again.' }),
    ),
    sends_at: Timestamp,
    is_scheduled: Type.Boolean({ description: 'It has a time of its own, and not merely ten seconds.' }),
    recipients: Type.Integer({ minimum: 1 }),
    subject: Type.String(),
    to: Type.Array(DraftPerson),
  },
  { $id: 'Outgoing' },
);
export type Outgoing = Type.Static<typeof Outgoing>;

export const OutgoingList = Type.Object(
  { data: Type.Array(Ref(Outgoing), { description: 'The next one first.' }) },
  { $id: 'OutgoingList' },
);
export type OutgoingList = Type.Static<typeof OutgoingList>;
