/** Deletes emails that mailboxes sent: old emails, and all emails of a deleted mailbox. Deleted emails still count towards the plan. */
import { sql } from 'kysely';
import { dayOf } from '../accounts/usage.ts';
import { uuidArray } from '../db/arrays.ts';
import { columnsOf, type RowOf } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import * as clock from '../model/clock.ts';
import { firstUuidAt, NIL_UUID, timeOf } from '../model/ids.ts';
import { monthOf } from '../model/month.ts';
import { HAS_KEY } from '../queue/fragments.ts';
import { among, BATCH, type DeletionJob, deleting } from './deleting.ts';
import { TIMINGS } from './timings.ts';

const KEY = columnsOf({ projectId: 'uuid', id: 'uuid' });
type Key = RowOf<typeof KEY>;
const DELETED = columnsOf({ ...KEY.kinds, mailboxId: 'uuid' });

/** Deletes old submissions without pending recipients, pending notices or failed forwards. */
export async function* deletingSubmissions(database: Database): DeletionJob {
  const before = firstUuidAt(new Date(clock.nowMs() - TIMINGS.submissionsMs));
  for (let after = NIL_UUID; ; ) {
    const keys = await deleting(database, async (tx) => {
      const { rows } = await KEY.sql`
        select s.project_id, s.id from submissions s
        where s.id > ${after} and s.id < ${before}
          and not exists (select from queue q where q.project_id = s.project_id and q.email_id = s.id offset 0)
          and not exists (
            select from submission_recipients r where r.project_id = s.project_id and r.submission_id = s.id and r.notice_due)
          -- A failed forward is restored from here, and there may be no other copy.
          and not exists (select from failed_forwards f where f.project_id = s.project_id and f.submission_id = s.id)
        order by s.id limit ${BATCH}`.execute(tx);
      await deleteRows(tx, rows);
      return rows;
    });
    yield keys.length;
    const last = keys.at(-1);
    if (last === undefined || keys.length < BATCH) break;
    after = last.id;
  }
  // Keep the counts of this month and the last: pages show this month, but for a moment after the month changes, a page may still show the
  // last.
  const lastMonth = monthOf(new Date(monthOf(clock.now()).start.getTime() - 1));
  await sql`
    delete from deleted_submissions_of_mailboxes where ctid = any (array(
      select ctid from deleted_submissions_of_mailboxes where month < ${dayOf(lastMonth)}::date limit ${10 * BATCH}))`.execute(
    database,
  );
}

/**
 * Deletes all submissions of a deleted mailbox. Messages that are still queued are not sent. A message that is in flight is still
 * delivered, but its outcome is not recorded.
 */
export async function* deletingSubmissionsOf(
  database: Database,
  projectId: string,
  mailboxId: string,
): DeletionJob {
  for (let deleted = BATCH; deleted === BATCH; yield deleted) {
    deleted = await deleting(database, async (tx) => {
      const rows = await tx
        .selectFrom('submissions')
        .select(['projectId', 'id'])
        .where('projectId', '=', projectId)
        .where('mailboxId', '=', mailboxId)
        .orderBy('id')
        .limit(BATCH)
        .execute();
      const ids = rows.map(({ id }) => id);
      // Lock the rows in the same order as workers do, to avoid deadlocks.
      await sql`
        with waiting as (
          select project_id, email_id, recipient_index from queue
          where project_id = ${projectId} and email_id = ${among(ids)}
          order by email_id, recipient_index for update
        )
        delete from queue r using waiting k where ${HAS_KEY}`.execute(tx);
      await deleteRows(tx, rows);
      return rows.length;
    });
  }
}

interface DeletedCount {
  projectId: string;
  mailboxId: string;
  day: string;
  submissions: number;
}

const COUNTS = rowsOf<DeletedCount>('c', {
  project_id: ['uuid', ({ projectId }) => projectId],
  mailbox_id: ['uuid', ({ mailboxId }) => mailboxId],
  month: ['date', ({ day }) => day],
  submissions: ['int8', ({ submissions }) => submissions],
});

async function deleteRows(tx: DatabaseTransaction, keys: readonly Key[]): Promise<void> {
  if (keys.length === 0) return;
  const projects = sql`${uuidArray(keys.map(({ projectId }) => projectId))}::uuid[]`;
  const ids = sql`${uuidArray(keys.map(({ id }) => id))}::uuid[]`;
  const { rows } = await DELETED.sql`
    with k as (select * from unnest(${projects}, ${ids}) as k (project_id, id)), recipient as (
      delete from submission_recipients r using k where r.project_id = k.project_id and r.submission_id = k.id
    ), gone as (
      delete from submissions s using k where s.project_id = k.project_id and s.id = k.id
      returning s.project_id, s.id, s.mailbox_id, s.kind
    )
    select project_id, id, mailbox_id from gone where kind = 'submitted'`.execute(tx);
  const counts = new Map<string, DeletedCount>();
  for (const { projectId, mailboxId, id } of rows) {
    const day = dayOf(monthOf(timeOf(id)));
    const key = `${projectId} ${mailboxId} ${day}`;
    const { submissions = 0 } = counts.get(key) ?? {};
    counts.set(key, { projectId, mailboxId, day, submissions: submissions + 1 });
  }
  if (counts.size === 0) return;
  const counted = [...counts.values()];
  await sql`
    insert into deleted_submissions as d (project_id, month, submissions)
    select project_id, month, sum(submissions) from (select ${COUNTS.values} from ${COUNTS.from(counted)}) as c (${COUNTS.names})
    group by project_id, month
    on conflict (project_id, month) do update set submissions = d.submissions + excluded.submissions`.execute(
    tx,
  );
  // The join leaves out deleted mailboxes, whose counts no longer exist.
  await sql`
    insert into deleted_submissions_of_mailboxes as d (${COUNTS.names})
    select c.* from (select ${COUNTS.values} from ${COUNTS.from(counted)}) as c (${COUNTS.names})
    join mailboxes m on m.project_id = c.project_id and m.id = c.mailbox_id
    order by c.project_id, c.mailbox_id for key share of m
    on conflict (project_id, mailbox_id, month) do update set submissions = d.submissions + excluded.submissions`.execute(
    tx,
  );
}
