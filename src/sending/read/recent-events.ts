/** The latest events of the newest emails of a project, for live views. */
import { type RawBuilder, sql } from 'kysely';
import { storedEvent } from '../../contract/stored-event.ts';
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';

/** How many of the newest emails are searched for events. No index has the events in their order, because such an index would slow down every insert. */
const WATCHED_EMAILS = 1_000;
/** Events per response. No one can read more. */
const MAX_EVENTS = 2_000;

const EVENT = columnsOf({
  emailId: 'uuid',
  id: 'uuid',
  type: 'text',
  recipient: 'text?',
  detail: shaped<object | null>('json?'),
});

/** A timeline event with uuids. */
export type RecentEvent = ReturnType<typeof storedEvent<RowOf<typeof EVENT>>>;

/** The newest events after the one with this uuid, oldest first. */
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
