/** Calendar invitations in messages (docs/web-client.md, Invitations). */
import { Type } from 'typebox';
import { Id, Nullable, Ref, Timestamp, Words } from '../schema.ts';
import { MailTextRun } from './messages.ts';

const ANSWERS = ['accepted', 'tentative', 'declined'] as const;

export const CalendarTime = Type.Object(
  {
    local: Type.String({
      description: "The organizer's local time: 2026-03-05T10:00:00, or 2026-03-05 for all-day events.",
    }),
    is_all_day: Type.Boolean(),
    zone: Nullable(Type.String({ description: "The time zone of local. Null: the reader's time zone." })),
    at: Nullable(
      Type.String({ format: 'date-time', description: 'Null for all-day events, and if it is unknown.' }),
    ),
  },
  { $id: 'CalendarTime' },
);

const Person = {
  name: Nullable(Type.String({ description: 'The name in the calendar, which is not verified.' })),
  address: Nullable(Type.String({ description: 'Null: it is not an email address.' })),
};

const EventMessage = {
  kind: Words(['update', 'cancelled']),
  message: Id('msg'),
  conversation: Id('thr'),
};

export const Invitation = Type.Object(
  {
    kind: Words(['invitation', 'update', 'cancelled', 'reply', 'proposal', 'event'], {
      description: 'The purpose of the message. An event needs no reply.',
    }),
    summary: Type.String({ description: 'May be empty.' }),
    description: Type.Array(MailTextRun, { description: 'Empty if there is none.' }),
    location: Type.Array(MailTextRun, { description: 'Empty if there is none.' }),
    conference: Nullable(Type.String({ description: 'The https URL of the video conference.' })),
    start: Ref(CalendarTime),
    end: Type.Union([Ref(CalendarTime), Type.Null()], { description: 'For all-day events, the last day.' }),
    repeats: Nullable(Type.String({ description: 'The recurrence in words.' })),
    recurrence: Type.Union([Ref(CalendarTime), Type.Null()], {
      description: 'The occurrence of a series. Null: the whole series.',
    }),
    organizer: Type.Union([Type.Object(Person), Type.Null()]),
    attendees: Type.Array(
      Type.Object({
        ...Person,
        answer: Words([...ANSWERS, 'delegated', 'none']),
        is_optional: Type.Boolean(),
        is_me: Type.Boolean(),
      }),
      { description: 'The first 200 attendees.' },
    ),
    attendees_total: Type.Integer(),
    comment: Nullable(
      Type.String({ description: 'The comment of the person who replies or cancels. Plain text.' }),
    ),
    others: Type.Integer({
      description: 'The number of further events, or changed occurrences of a series, in the file.',
    }),
    warnings: Type.Array(Type.String(), { description: 'Warnings to read before replying.' }),
    part: Type.String({ description: 'The message part that contains the calendar file.' }),
    copies: Type.Array(Type.String(), {
      description: 'The message parts that contain the same calendar file, including part.',
    }),
    invited_as: Nullable(Type.String({ description: 'The address of this mailbox that is invited.' })),
    can_answer: Type.Boolean(),
    answer: Type.Union(
      [
        Type.Object({
          answer: Words(ANSWERS),
          answered_at: Timestamp,
          is_current: Type.Boolean({
            description: 'False: the event has changed since, and the organizer may expect a new reply.',
          }),
        }),
        Type.Null(),
      ],
      { description: 'The last reply sent from this mailbox here.' },
    ),
    newest: Type.Union(
      [
        Type.Object({
          ...EventMessage,
          start: Type.Union([Ref(CalendarTime), Type.Null()], {
            description: 'Null: cancelled, or unknown.',
          }),
          end: Type.Union([Ref(CalendarTime), Type.Null()]),
        }),
        Type.Null(),
      ],
      {
        description:
          'The newest message of the organizer about the event. Null: this invitation is the newest.',
      },
    ),
    unproven: Type.Union([Type.Object(EventMessage), Type.Null()], {
      description:
        'A newer message that claims to change or cancel the event, but whose sender is not proven to be the organizer.',
    }),
  },
  { $id: 'Invitation' },
);
export type Invitation = Type.Static<typeof Invitation>;

export const AnswerInvitation = Type.Object(
  { answer: Words(ANSWERS) },
  { $id: 'AnswerInvitation', additionalProperties: false },
);
export type AnswerInvitation = Type.Static<typeof AnswerInvitation>;
