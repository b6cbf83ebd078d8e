/** Calendar invitations in messages (docs/web-client.md, Invitations). */
import { Type } from 'typebox';
import { Nullable, Ref, Timestamp, Words } from '../schema.ts';

const ANSWERS = ['accepted', 'tentative', 'declined'] as const;

export const CalendarTime = Type.Object(
  {
    local: Type.String({
      description: 'By the clock of whoever wrote it: 2026-03-05T10:00:00, or 2026-03-05 for whole days.',
    }),
    is_all_day: Type.Boolean(),
    zone: Nullable(Type.String({ description: 'Of local. Null: that of whoever reads it.' })),
    at: Nullable(
      Type.String({ format: 'date-time', description: 'Null for whole days, and where nobody can say.' }),
    ),
  },
  { $id: 'CalendarTime' },
);

const Person = {
  name: Nullable(Type.String({ description: 'As the calendar says; nothing proves it.' })),
  address: Nullable(Type.String({ description: 'Null: it is none that mail could be sent to.' })),
};

export const Invitation = Type.Object(
  {
    kind: Words(['invitation', 'update', 'cancelled', 'reply', 'proposal', 'event'], {
      description: 'What the message is for. An event asks for no answer.',
    }),
    summary: Type.String({ description: 'May be empty.' }),
    description: Nullable(Type.String({ description: 'Plain text.' })),
    location: Nullable(Type.String()),
    conference: Nullable(Type.String({ description: 'Where people meet who are elsewhere: an https URL.' })),
    start: Ref(CalendarTime),
    end: Type.Union([Ref(CalendarTime), Type.Null()], { description: 'Of whole days, the last one.' }),
    repeats: Nullable(Type.String({ description: 'In words.' })),
    recurrence: Type.Union([Ref(CalendarTime), Type.Null()], {
      description: 'Which one of a series is meant. Null: all of it.',
    }),
    organizer: Type.Union([Type.Object(Person), Type.Null()]),
    attendees: Type.Array(
      Type.Object({
        ...Person,
        answer: Words([...ANSWERS, 'delegated', 'none']),
        is_optional: Type.Boolean(),
        is_me: Type.Boolean(),
      }),
      { description: 'The first 200.' },
    ),
    attendees_total: Type.Integer(),
    comment: Nullable(Type.String({ description: 'Of who answers or cancels. Plain text.' })),
    others: Type.Integer({
      description: 'How many further events, or changed dates of a series, are in the file.',
    }),
    warnings: Type.Array(Type.String(), { description: 'What to look at before answering, in words.' }),
    part: Type.String({ description: 'Of the message: the file.' }),
    invited_as: Nullable(Type.String({ description: 'The address of this mailbox that is invited.' })),
    can_answer: Type.Boolean(),
    answer: Type.Union(
      [
        Type.Object({
          answer: Words(ANSWERS),
          answered_at: Timestamp,
          is_current: Type.Boolean({
            description: 'False: the event has changed since, and its organiser may want another answer.',
          }),
        }),
        Type.Null(),
      ],
      { description: 'What this mailbox answered last, here.' },
    ),
  },
  { $id: 'Invitation' },
);
export type Invitation = Type.Static<typeof Invitation>;

export const AnswerInvitation = Type.Object(
  { answer: Words(ANSWERS) },
  { $id: 'AnswerInvitation', additionalProperties: false },
);
export type AnswerInvitation = Type.Static<typeof AnswerInvitation>;
