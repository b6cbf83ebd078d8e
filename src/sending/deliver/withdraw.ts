import { type RawBuilder, sql } from 'kysely';
import { columnsOf } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { firstUuidAt } from '../../model/ids.ts';
import {
  ADDRESSED_ROW,
  type AddressedRow,
  BEFORE_ALL,
  HAS_KEY,
  IS_LATER,
  inOrder,
  type RowKey,
} from '../../queue/fragments.ts';
import type { ProviderKind } from '../../queue/provider-kind.ts';
import { recordEvents } from '../events/record-events.ts';
import { recordOutcomes } from '../submit/record-outcomes.ts';
import { failedUnsent, WITHDRAWN_KIND } from './outcome-events.ts';

/** The number of recipients per transaction. */
const BATCH_ROWS = 500;

const WAITING = columnsOf({ all: 'float8', older: 'float8' });

/**
 * Counts waiting recipients whose email is not scheduled for a later time: all such recipients (`all`), and the recipients accepted and due
 * before the given time (`older`).
 */
export async function countWaiting(
  database: Database,
  before: Date | null,
): Promise<{ all: number; older: number }> {
  const bound = before ?? new Date(0);
  const { rows } = await WAITING.sql`
    select count(*)::float8 as all, count(*) filter (where ${isFrom(bound)})::float8 as older from queue where not ${IS_LATER}`.execute(
    database,
  );
  return rows[0] ?? { all: 0, older: 0 };
}

export interface WithdrawOptions {
  /** Stops after about this time, in milliseconds. Default: no limit. */
  forMs?: number;
  /** Called in the first transaction that withdraws recipients. */
  onFirst?(tx: DatabaseTransaction): Promise<void>;
}

/**
 * Removes from the queue the recipients of emails and mailbox mail that were accepted and due before the given time. Records the removal on
 * their timelines (`failed`, reason `withdrawn`) or for the mailbox. A worker that has a removed row in flight writes no outcome.
 * @returns the number of removed recipients, and whether none are left
 */
export function withdrawOlder(
  database: Database,
  than: Date,
  options: WithdrawOptions = {},
): Promise<{ withdrawn: number; isDone: boolean }> {
  return withdrawAll(database, { which: isFrom(than) }, options);
}

/** Withdraws recipients that were accepted for a kind of provider and are not claimed, including recipients of scheduled emails. */
export function withdrawOfKind(
  database: Database,
  kind: ProviderKind,
  options: WithdrawOptions = {},
): Promise<{ withdrawn: number; isDone: boolean }> {
  const which = sql`is_sandbox = ${kind === 'sandbox'} and lease_id is null`;
  return withdrawAll(database, { which, detail: WITHDRAWN_KIND }, options);
}

interface Withdrawing {
  /** The condition on rows of the queue. */
  which: RawBuilder<unknown>;
  /** The text for the timelines. Default: a text that mentions the restored backup. */
  detail?: string;
}

async function withdrawAll(
  database: Database,
  what: Withdrawing,
  { forMs = Number.POSITIVE_INFINITY, onFirst = async () => {} }: WithdrawOptions,
): Promise<{ withdrawn: number; isDone: boolean }> {
  const endMs = performance.now() + forMs;
  // Each batch continues after the previous batch, so that rows that stay in the queue are not read again. At the end the scan starts
  // again, for rows that a worker released in the meantime.
  let after = BEFORE_ALL;
  for (let withdrawn = 0; ; ) {
    const rows = await withdrawSome(database, what, after, withdrawn === 0 ? onFirst : async () => {});
    withdrawn += rows.length;
    const isDone = rows.length === 0 && after === BEFORE_ALL;
    if (isDone || performance.now() > endMs) return { withdrawn, isDone };
    after = inOrder(rows).at(-1) ?? BEFORE_ALL;
  }
}

/** Condition: the row may have been sent before the time, because it existed and was due. */
function isFrom(before: Date): RawBuilder<boolean> {
  return sql<boolean>`(email_id < ${firstUuidAt(before)} and (scheduled_at is null or scheduled_at < ${before}))`;
}

async function recordWithdrawn(
  tx: DatabaseTransaction,
  rows: readonly AddressedRow[],
  detail?: string,
): Promise<void> {
  if (rows.length === 0) return;
  const changes = rows.map((row) => ({ ...row, events: [failedUnsent(row, 'withdrawn', detail)] }));
  await recordEvents(tx, changes);
  await recordOutcomes(tx, changes);
}

function withdrawSome(
  database: Database,
  { which, detail }: Withdrawing,
  { projectId, emailId, recipientIndex }: RowKey,
  also: (tx: DatabaseTransaction) => Promise<void>,
): Promise<RowKey[]> {
  return database.transaction().execute(async (tx) => {
    const { rows } = await ADDRESSED_ROW.sql`
      with those as (
        select project_id, email_id, recipient_index from queue
        where ${which} and (project_id, email_id, recipient_index) > (${projectId}::uuid, ${emailId}::uuid, ${recipientIndex}::int2)
        order by project_id, email_id, recipient_index limit ${sql.lit(BATCH_ROWS)} for no key update
      )
      delete from queue r using those k where ${HAS_KEY}
      returning r.project_id, r.email_id, r.recipient_index, r.address`.execute(tx);
    await recordWithdrawn(tx, rows, detail);
    if (rows.length > 0) await also(tx);
    return rows;
  });
}
