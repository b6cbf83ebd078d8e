/** Deletes the remaining rows of deleted projects, webhooks and mailboxes in the background, in batches. */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { retryingConflicts } from '../db/retry.ts';
import * as clock from '../model/clock.ts';
import { NIL_UUID } from '../model/ids.ts';
import { deletingMail } from '../store/delete-mail.ts';
import { among, BATCH, type DeletionJob, deleting, lockRecipients } from './deleting.ts';
import { deleteAnyEmails } from './delete-emails.ts';
import { deletingSubmissionsOf } from './delete-submissions.ts';
import { deletingLog } from './delete-log.ts';
import { TIMINGS } from './timings.ts';

const EMAIL_ID = columnsOf({ emailId: 'uuid' });

interface Removal {
  projectId: string;
  /** The uuid of the deleted project, webhook or mailbox. */
  id: string;
  kind: 'project' | 'webhook' | 'mailbox';
  requestedAt: Date;
}

export function findRemovals(database: Database): Promise<Removal[]> {
  return database.selectFrom('removals').selectAll().orderBy('requestedAt').execute();
}

/** Deletes the remaining rows. Once no request can add further rows, also deletes the removal itself. */
export async function* removing(
  database: Database,
  removal: Removal,
  { lateRequestMs }: Pick<typeof TIMINGS, 'lateRequestMs'> = TIMINGS,
): DeletionJob {
  const { kind, projectId, id } = removal;
  // A request that was in progress when the project was deleted may still add rows. After `lateRequestMs`, all these requests have ended,
  // so a run that starts later than that finds all rows.
  const isLast = clock.nowMs() - removal.requestedAt.getTime() > lateRequestMs;
  yield* REMOVING[kind](database, projectId, id);
  if (!isLast) return;
  await database.deleteFrom('removals').where('projectId', '=', projectId).where('id', '=', id).execute();
}

const REMOVING: Readonly<
  Record<Removal['kind'], (database: Database, projectId: string, id: string) => DeletionJob>
> = {
  project: removingProject,
  webhook: (database, projectId, webhookId) => deletingLog(database, { projectId, webhookId }, 'all', null),
  async *mailbox(database, projectId, mailboxId) {
    yield* deletingSubmissionsOf(database, projectId, mailboxId);
    yield* deletingMail(database, { projectId, mailboxId });
  },
};

async function* removingProject(database: Database, projectId: string): DeletionJob {
  yield* endingWork(database, projectId);
  for (let after = NIL_UUID; ; ) {
    const rows = await database
      .selectFrom('emails')
      .select('id')
      .where('projectId', '=', projectId)
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH)
      .execute();
    if (rows.length === 0) break;
    const ids = rows.map(({ id }) => id);
    const { emailIds } = await deleting(database, async (tx) => {
      await lockRecipients(tx, projectId, ids);
      return deleteAnyEmails(tx, projectId, ids);
    });
    yield emailIds.length;
    after = ids.at(-1) ?? after;
  }
  yield* deletingCopies(database, projectId);
  // Delete the rows that belong to no email. The table names are constants, so they cannot contain SQL of a client.
  for (const table of REST) {
    for (let deleted = BATCH; deleted === BATCH; ) {
      const { numAffectedRows } = await sql`
        delete from ${sql.table(table)} where project_id = ${projectId} and ctid = any (array(
          select ctid from ${sql.table(table)} where project_id = ${projectId} limit ${BATCH}))`.execute(
        database,
      );
      deleted = Number(numAffectedRows ?? 0n);
      yield deleted;
    }
  }
}

/**
 * Deletes sandbox copies that were stored after their email was deleted, because the message was in flight at that time. Finds them by key,
 * because the table is partitioned and a ctid is unique only within a partition.
 */
async function* deletingCopies(database: Database, projectId: string): DeletionJob {
  for (let after = NIL_UUID; ; ) {
    const { rows } = await EMAIL_ID.sql`
      select email_id from sandbox_messages where project_id = ${projectId} and email_id > ${after}
      order by email_id limit ${BATCH}`.execute(database);
    const last = rows.at(-1);
    if (last === undefined) return;
    await database
      .deleteFrom('sandboxMessages')
      .where('projectId', '=', projectId)
      .where('emailId', '=', among(rows.map(({ emailId }) => emailId)))
      .execute();
    yield rows.length;
    after = last.emailId;
  }
}

const REST = [
  'suppressions',
  'rejected_requests',
  'idempotency_keys',
  'storage_changes',
  'deleted_emails',
  'waiting_bodies',
  'email_segments',
  'email_words',
  'email_counts',
  'email_metrics',
  'submission_recipients',
  'submissions',
  'submission_keys',
  'deleted_submissions',
  'usage_days',
];

/** Deletes all rows of a project from the queue. A message that is in flight is still delivered, but its outcome is not recorded. */
async function* endingWork(database: Database, projectId: string): DeletionJob {
  // Use one statement for each condition, because each has its own index.
  for (const waits of [
    sql<boolean>`next_attempt_at < 'infinity'`,
    sql<boolean>`next_attempt_at = 'infinity'`,
  ]) {
    for (let ended = 1; ended > 0; yield ended) {
      ended = await retryingConflicts(() => deleting(database, (tx) => endSome(tx, projectId, waits)));
    }
  }
}

async function endSome(
  tx: DatabaseTransaction,
  projectId: string,
  waits: RawBuilder<boolean>,
): Promise<number> {
  const rows = await tx
    .selectFrom('queue')
    .select('emailId')
    .where('projectId', '=', projectId)
    .where(waits)
    .limit(BATCH)
    .execute();
  const ids = [...new Set(rows.map(({ emailId }) => emailId))];
  if (ids.length === 0) return 0;
  await lockRecipients(tx, projectId, ids);
  await tx.deleteFrom('queue').where('projectId', '=', projectId).where('emailId', '=', among(ids)).execute();
  return ids.length;
}
