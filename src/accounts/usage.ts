/** The usage of a project's plan: metered storage, and counts of its resources. */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, type RowOf } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import { newUuid } from '../model/ids.ts';
import { type Month, uuidsOfMonth } from '../model/month.ts';

/** How many rows one statement adds to the projects. It locks the rows of the affected projects until it commits. */
const FOLD_ROWS = 10_000;
/** The key of the advisory lock for folding. */
const FOLD_LOCK = 7_340_021;

const FOLDED = columnsOf({ folded: 'int4' });

const CHANGES = rowsOf<[projectId: string, bytes: number]>('s', {
  project_id: ['uuid', ([projectId]) => projectId],
  id: ['uuid', () => newUuid()],
  bytes: ['int8', ([, bytes]) => bytes],
});

/**
 * A CTE that records how many bytes the same statement stores, as one row of `storage_changes` per project. `foldStorage` adds these rows
 * to the total in the project's row later, because updating the total at once would allow only one commit of a project at a time.
 * @param bytes for each project, the bytes that are stored; negative for bytes that are deleted
 */
export function recordingStorage(bytes: ReadonlyMap<string, number>): RawBuilder<unknown> {
  return sql`
    metered as (
      insert into storage_changes (${CHANGES.names})
      select ${CHANGES.values} from ${CHANGES.from([...bytes])}
    )`;
}

/**
 * Adds the rows of `storage_changes` to the totals in the projects' rows. The totals stay exact under concurrency, because one statement
 * deletes a row and adds its value. If several processes call this at once, only one of them does the work.
 */
export async function foldStorage(database: Database): Promise<void> {
  for (;;) {
    const { rows } = await FOLDED.sql`
      with turn as materialized (
        select pg_try_advisory_xact_lock(${sql.lit(FOLD_LOCK)}) as mine
      ), gone as (
        delete from storage_changes
        where (select mine from turn) and (project_id, id) in (
          select project_id, id from storage_changes order by project_id, id limit ${sql.lit(FOLD_ROWS)}
        )
        returning project_id, bytes
      ), changed as (
        select project_id, sum(bytes) as bytes from gone group by project_id
      ), folded as (
        update projects p set storage_bytes = p.storage_bytes + c.bytes from changed c where p.id = c.project_id
      )
      select count(*)::int as folded from gone`.execute(database);
    if ((rows[0]?.folded ?? 0) < FOLD_ROWS) return;
  }
}

/**
 * SQL for the bytes that are stored for a project: the total in its row and the changes that are not yet added. The sum is exact, because
 * one snapshot has both.
 */
export function storageOf(projectId: RawBuilder<string>): RawBuilder<number> {
  return sql<number>`(
    (select storage_bytes from projects where id = ${projectId})
    + (select coalesce(sum(bytes), 0) from storage_changes where project_id = ${projectId})
  )::float8`;
}

/** SQL for the total size in bytes of all files behind a project's live links, as announced at upload. */
export function liveLinksOf(projectId: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`(
    select coalesce(sum(f.octets), 0) from link_files f left join file_links l on l.project_id = f.project_id and l.id = f.link_id
    where f.project_id = ${projectId} and f.gone_at is null and (l.id is null or l.expires_at > now()))::float8`;
}

/** The day that represents a month in `deleted_emails`. */
export function dayOf({ start }: Month): string {
  return start.toISOString().slice(0, 10);
}

/** SQL for the number of a month's emails that were deleted but still count towards usage. @param day see `dayOf` */
export function deletedOf(projectId: RawBuilder<string>, day: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`coalesce(
    (select emails from deleted_emails d where d.project_id = ${projectId} and d.month = ${day}::date), 0)`;
}

/**
 * SQL for the number of emails that mailboxes sent in a month and that were deleted but still count towards usage. @param day see `dayOf`
 */
export function deletedSubmissionsOf(
  projectId: RawBuilder<unknown>,
  day: RawBuilder<unknown>,
): RawBuilder<number> {
  return sql<number>`coalesce(
    (select submissions from deleted_submissions d where d.project_id = ${projectId} and d.month = ${day}::date), 0)`;
}

const AMOUNTS = columnsOf({
  storageBytes: 'float8',
  /** Emails sent by mailboxes in the month. An email with several recipients counts once. */
  mailboxEmails: 'int4',
  mailboxes: 'int4',
  ownDomains: 'int4',
});
type Amounts = RowOf<typeof AMOUNTS>;
const USAGE = columnsOf({
  ...AMOUNTS.kinds,
  /** Emails accepted by the API in the month. An email with several recipients counts once. */
  apiEmails: 'int4',
});

export type ProjectUsage = RowOf<typeof USAGE>;

/** Takes time proportional to the number of emails in the month, because the rows are counted one by one. */
export async function readUsage(
  database: Database | DatabaseTransaction,
  projectId: string,
  month: Month,
): Promise<ProjectUsage> {
  const { first, end } = uuidsOfMonth(month);
  const { rows } = await USAGE.sql`
    select ${amountsOf(projectId, month)},
      ((select count(*) from emails where project_id = ${projectId} and id >= ${first} and id < ${end})
        + ${deletedOf(sql`${projectId}::uuid`, sql`${dayOf(month)}`)})::int as api_emails`.execute(database);
  return rows[0] as ProjectUsage;
}

/** Like `readUsage`, without emails from the API. */
export async function readAmounts(database: Database, projectId: string, month: Month): Promise<Amounts> {
  const { rows } = await AMOUNTS.sql`select ${amountsOf(projectId, month)}`.execute(database);
  return rows[0] as Amounts;
}

function amountsOf(projectId: string, month: Month): RawBuilder<unknown> {
  const { first, end } = uuidsOfMonth(month);
  return sql`${storageOf(sql`${projectId}::uuid`)} as storage_bytes,
    ((select count(*) from submissions where project_id = ${projectId} and id >= ${first} and id < ${end} and kind = 'submitted')
      + ${deletedSubmissionsOf(sql`${projectId}::uuid`, sql`${dayOf(month)}`)})::int as mailbox_emails,
    (select count(*) from mailboxes where project_id = ${projectId})::int as mailboxes,
    (select count(*) from domains where project_id = ${projectId})::int as own_domains`;
}
