/** Claims due rows for a lease. */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, type RowOf } from '../db/columns.ts';
import { type Cte, cte } from '../db/cte.ts';
import type { Database } from '../db/database.ts';
import { timeOf } from '../model/ids.ts';
import { rowsOf } from '../db/rows.ts';
import { HAS_KEY, lockingOpenLease } from './fragments.ts';
import { isOfOtherKind } from './provider-kind.ts';
import {
  findFairShares,
  findingFairShares,
  MAX_STREAMS,
  FIRST_STREAM,
  divideFairly,
  type Indexed,
  PROJECT_STREAM,
  type ProjectStream,
  type WaitingStream,
  type FairShareOptions,
} from './fair-shares.ts';

const CLAIMED = columnsOf({
  ...PROJECT_STREAM.kinds,
  emailId: 'uuid',
  recipientIndex: 'int2',
  address: 'text',
  /** Approximate size of the message in bytes. */
  octets: 'int4',
  attempts: 'int2',
  crashes: 'int2',
  /** The scheduled send time. Null if the email is sent at once. */
  scheduledAt: 'timestamptz?',
  /**
   * The time at which the row's wait for a provider of its kind ended. The row's retry period starts then. Null if the row did not wait.
   */
  waitedUntil: 'timestamptz?',
});

/** A recipient of an email with pending work. */
export type ClaimedRow = RowOf<typeof CLAIMED>;

/** The claimed rows, and the position from which the next claim continues. */
export interface QueueClaim {
  rows: ClaimedRow[];
  /** Whether streams outside `leaveOut` may have more matching rows. */
  isMore: boolean;
  /** The last stream that was served; the next claim continues after it. */
  last: ProjectStream;
}

/** Default: a claim starts with the first stream and leaves out no stream. */
export type ClaimOptions = Partial<FairShareOptions>;

/** A row that was in flight during this many crashes is attempted alone. */
// protection: poison alone
const POISON_CRASHES = 2;

const RETURNED = sql.raw(
  'r.project_id, r.stream, r.email_id, r.recipient_index, r.address, r.octets, r.attempts, r.crashes, r.scheduled_at, r.waited_until, r.lease_id is null as is_set_aside',
);

const CLAIMED_COLUMNS = columnsOf({ ...CLAIMED.kinds, isSetAside: 'bool' });
type ReturnedRow = RowOf<typeof CLAIMED_COLUMNS>;

/**
 * Assignments to the columns of a claimed queue row `r`. A row for the other kind of provider is set aside instead of claimed: it leaves
 * the index on due rows, so that later claims do not scan it again.
 * @param nextAttemptAt new `next_attempt_at` of claimed rows
 */
function claimingFor(lease: Cte, nextAttemptAt: RawBuilder<unknown>): RawBuilder<unknown> {
  const isOther = isOfOtherKind(lease.name);
  return sql`
    lease_id = case when ${isOther} then null else ${lease.name}.lease_id end,
    next_attempt_at = case when ${isOther} then 'infinity' else ${nextAttemptAt} end,
    destination = null`;
}

function withoutSetAside(rows: readonly ReturnedRow[]): ClaimedRow[] {
  return rows.flatMap(({ isSetAside, ...row }) => (isSetAside ? [] : [row]));
}

/** Rows that are due now or later. Parked rows are in another index. */
export const DUE: Indexed = {
  which: sql`r.next_attempt_at < 'infinity'`,
  by: { column: 'next_attempt_at', type: 'timestamptz' },
  upTo: sql`now()`,
  and: sql`r.lease_id is null and r.crashes < ${sql.lit(POISON_CRASHES)}`,
};

/**
 * CTE for `with recursive`: `due_rows (are_due)`. True also if there are more streams than one scan covers, because a claim then continues
 * the scan.
 */
export function findingDueRows(): Cte {
  const streams = findingFairShares(DUE, undefined, 1);
  return cte(
    'due_rows',
    sql`select exists (select from ${streams.name} where is_wanted or place = ${sql.lit(MAX_STREAMS)}) as are_due`,
    streams.sql,
  );
}

/** Condition: a row is due that must be attempted alone. */
export const HAS_DUE_POISON = sql`exists (select from queue where ${isDuePoison()})`;

function isDuePoison(): RawBuilder<unknown> {
  return sql`next_attempt_at <= now() and lease_id is null and crashes >= ${sql.lit(POISON_CRASHES)}`;
}

/**
 * Claims up to `limit` due rows, round-robin between projects and between the streams of each project. Within a stream, the rows that have
 * been due longest come first. Skips rows that another worker has claimed or another transaction has locked.
 */
export function claimDue(
  database: Database,
  leaseId: string,
  limit: number,
  options: ClaimOptions = {},
): Promise<QueueClaim> {
  return claimFairly(database, leaseId, limit, DUE, sql`r.next_attempt_at`, options);
}

/**
 * Claims one due row that was in flight during at least two crashes. The caller must deliver the row on its own, so that another crash
 * affects no other row (`IsolatedRetry`).
 */
export async function claimPoison(database: Database, leaseId: string): Promise<ClaimedRow | null> {
  const lease = lockingOpenLease(leaseId);
  const { rows } = await CLAIMED_COLUMNS.sql`
    with ${lease.sql}, due as (
      select project_id, email_id, recipient_index from queue
      where ${isDuePoison()}
      order by next_attempt_at limit 1
      for no key update skip locked
    )
    update queue r set ${claimingFor(lease, sql`r.next_attempt_at`)}
    from ${lease.name}, due k
    where ${HAS_KEY}
    returning ${RETURNED}`.execute(database);
  return withoutSetAside(rows)[0] ?? null;
}

/** The start of a row's retry period, in milliseconds since 1970. Before that time the row could not be sent. */
export function retryClockStartMs({
  emailId,
  scheduledAt,
  waitedUntil,
}: Pick<ClaimedRow, 'emailId' | 'scheduledAt' | 'waitedUntil'>): number {
  return Math.max((scheduledAt ?? timeOf(emailId)).getTime(), waitedUntil?.getTime() ?? 0);
}

/** Whether the row was in flight during at least two crashes. */
export function isPoison({ crashes }: ClaimedRow): boolean {
  return crashes >= POISON_CRASHES;
}

const SHARES = rowsOf<[stream: WaitingStream, rows: number]>('s', {
  project_id: ['uuid', ([{ projectId }]) => projectId],
  stream: ['stream', ([{ stream }]) => stream],
  first: ['text', ([{ first }]) => first ?? ''],
  rows: ['int4', ([, rows]) => rows],
});

/**
 * Claims rows, divided fairly between the streams.
 * @param nextAttemptAt new `next_attempt_at` of claimed rows
 */
export async function claimFairly(
  database: Database,
  leaseId: string,
  limit: number,
  from: Indexed,
  nextAttemptAt: RawBuilder<unknown>,
  { after = FIRST_STREAM, leaveOut = [] }: ClaimOptions,
): Promise<QueueClaim> {
  const { streams, scannedAll, hasWrapped, rowBound } = await findFairShares(database, from, limit, {
    after,
    leaveOut,
  });
  const { shares, last } = divideFairly(streams, limit);
  const rows =
    shares.size === 0 ? [] : await claimShares(database, leaseId, from, nextAttemptAt, [...shares]);
  const isLeft = streams.some(
    (stream) => stream.rows > (shares.get(stream) ?? 0) || stream.rows === rowBound,
  );
  // The next claim continues after the last stream that got a share if all streams were scanned or a stream with rows got no share.
  // Otherwise it continues after the last stream scanned.
  const isCut = streams.some((stream) => stream.rows > 0 && !shares.has(stream));
  return {
    rows: withoutSetAside(rows),
    // A claim that reached its limit may have left matching rows unclaimed.
    isMore: !hasWrapped || rows.length === limit || (isLeft && rows.length > 0),
    last: (isCut || scannedAll ? last : streams.at(-1)) ?? after,
  };
}

/** Claims the given number of rows from each stream. Rows for the other kind of provider are set aside instead. */
async function claimShares(
  database: Database,
  leaseId: string,
  { which, by, upTo, and }: Indexed,
  nextAttemptAt: RawBuilder<unknown>,
  shares: [WaitingStream, number][],
): Promise<ReturnedRow[]> {
  const column = sql.raw(`r.${by.column}`);
  const lease = lockingOpenLease(leaseId);
  const { rows } = await CLAIMED_COLUMNS.sql`
    with ${lease.sql}, chosen as (
      select chosen.project_id, chosen.email_id, chosen.recipient_index
      from ${SHARES.from(shares)}, lateral (
        select r.project_id, r.email_id, r.recipient_index from queue r
        where ${which} and r.project_id = s.project_id and r.stream = s.stream::stream
          and ${column} >= s.first::${sql.raw(by.type)} ${upTo === null ? sql`` : sql`and ${column} <= ${upTo}`} and ${and}
        order by ${column} limit s.rows
        for no key update skip locked
      ) chosen
    )
    update queue r set ${claimingFor(lease, nextAttemptAt)}
    from ${lease.name}, chosen k
    where ${HAS_KEY}
    returning ${RETURNED}`.execute(database);
  return rows;
}
