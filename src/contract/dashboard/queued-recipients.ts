/** The recipients behind the numbers of the queue, as operators see them: without addresses and contents. */
import { Type } from 'typebox';
import { Id, Nullable, Ref, Timestamp, Words } from '../schema.ts';

export const QueuedRecipient = Type.Object(
  {
    id: Type.Union([Id('em'), Id('sub')], { description: 'An email, or a message of a mailbox.' }),
    project_id: Id('prj'),
    domain: Type.String({ description: "The recipient's domain." }),
    state: Words(['due', 'in-flight', 'deferred', 'parked', 'set-aside'], {
      description:
        '`parked`: waits until its destination accepts mail. `set-aside`: waits for another kind of provider.',
    }),
    attempts: Type.Integer({ minimum: 0 }),
    accepted_at: Timestamp,
    next_attempt_at: Nullable(Timestamp),
  },
  { $id: 'QueuedRecipient' },
);

export const QueuedRecipientPage = Type.Object(
  {
    data: Type.Array(Ref(QueuedRecipient), { description: 'By project, oldest first.' }),
    next_cursor: Nullable(Type.String()),
  },
  { $id: 'QueuedRecipientPage', description: 'A page may be short although another page follows.' },
);
export type QueuedRecipientPage = Type.Static<typeof QueuedRecipientPage>;

export const QueuedRecipientsQuery = Type.Object(
  {
    domain: Type.Optional(Type.String({ maxLength: 255, description: "The recipients' domain." })),
    state: Type.Optional(
      Words(['in-flight', 'deferred', 'other-kind'], {
        description: '`other-kind`: accepted for a kind of provider that the installation no longer has.',
      }),
    ),
    cursor: Type.Optional(Type.String({ maxLength: 300 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  },
  { additionalProperties: false },
);
export type QueuedRecipientsQuery = Type.Static<typeof QueuedRecipientsQuery>;
