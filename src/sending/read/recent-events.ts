/** The latest events of a project's newest emails, for live views. */
import { type RawBuilder, sql } from 'kysely';
import { storedEvent } from '../../contract/stored-event.ts';
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';

/**
 * Only the events of this many newest emails are searched. No index contains the events by time, because such an index would slow down
 * every insert.
 */
const WATCHED_EMAILS = 1_000;
/** The maximum number of events per response. More events would be too many to read. */
const MAX_EVENTS = 2_000;

const EVENT = columnsOf({
  emailId: 'uuid',
  id: 'uuid',
  type: 'text',
  recipient: 'text?',
  detail: shaped<object | null>('json?'),
});

/** A timeline event whose ids are UUIDs. */
export type RecentEvent = ReturnType<typeof storedEvent<RowOf<typeof EVENT>>>;

/** The newest events after the event with the given UUID, oldest first. */
export async function recentEvents(
  database: Database,
  projectId: string,
  after: string,
): Promise<RecentEvent[]> {
  const { rows } = await EVENT.sql`
    select e.email_id, e.id, e.type, e.recipient, e.detail
    from (${newestEmails(projectId)}) m
    cross join lateral (
      select e.* from events e
      where e.project_id = ${projectId} and e.email_id = m.id and e.id > ${after} offset 0
    ) e
    order by e.id desc
    limit ${sql.lit(MAX_EVENTS)}`.execute(database);
  return rows.reverse().map(storedEvent);
}

function newestEmails(projectId: string): RawBuilder<unknown> {
  return sql`
    select id from emails where project_id = ${projectId} order by id desc limit ${sql.lit(WATCHED_EMAILS)}`;
}
