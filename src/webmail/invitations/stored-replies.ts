/** A mailbox's replies to invitations, stored by event because one event appears in several messages. */
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import type { ParticipationStatus, CalendarEvent } from '../../rfc/icalendar/calendar-event.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';

const STORED_REPLY = columnsOf({
  answer: shaped<ParticipationStatus>('text'),
  /** The event's SEQUENCE at the time of the reply. */
  sequence: 'int4',
  answeredAt: 'timestamptz',
});
export type StoredInvitationReply = RowOf<typeof STORED_REPLY>;

/** Stored replies older than this are deleted. The mailbox can reply again to an event whose stored reply was deleted. */
const RETENTION = '2 years';

export async function readStoredReply(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  event: CalendarEvent,
): Promise<StoredInvitationReply | null> {
  const { rows } = await STORED_REPLY.sql`
    select answer, sequence, answered_at from invitation_answers
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and event = ${keyOf(event)}`.execute(
    database,
  );
  return rows[0] ?? null;
}

/** Replaces the mailbox's previous reply to the event. */
export async function storeReply(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  event: CalendarEvent,
  answer: ParticipationStatus,
): Promise<void> {
  const now = clock.now();
  await sql`
    with old as (
      delete from invitation_answers
      where project_id = ${projectId} and mailbox_id = ${mailboxId} and event <> ${keyOf(event)}
        and answered_at < ${now}::timestamptz - ${RETENTION}::interval)
    insert into invitation_answers (project_id, mailbox_id, event, answer, sequence, answered_at)
    select ${projectId}, ${mailboxId}, ${keyOf(event)}, ${answer}, ${event.sequence}, ${now}
    where exists (select from mailboxes where project_id = ${projectId} and id = ${mailboxId})
    on conflict (project_id, mailbox_id, event) do update set answer = excluded.answer, sequence = excluded.sequence,
      answered_at = excluded.answered_at`.execute(database);
}

function keyOf({ uid, recurrence }: CalendarEvent): Buffer {
  const which = recurrence === null ? '' : (recurrence.atMs ?? recurrence.local);
  return hash('sha256', JSON.stringify([uid, which]), 'buffer');
}
