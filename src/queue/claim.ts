/** Taking due rows: a lease on them, nothing more. */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, type RowOf } from '../db/columns.ts';
import type { Cte } from '../db/cte.ts';
import type { Database } from '../db/database.ts';
import { timeOf } from '../model/ids.ts';
import { rowsOf } from '../db/rows.ts';
import { HAS_KEY, lockingOpenLease } from './fragments.ts';
import { isOfOtherKind } from './provider-kind.ts';
import {
  findFairShares,
  FIRST_STREAM,
  giveFairShares,
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
  /** The size of the message, about. */
  octets: 'int4',
  attempts: 'int2',
  crashes: 'int2',
  /** From when on it was to be sent; null: at once. */
  scheduledAt: 'timestamptz?',
  /** Until when it waited for its kind of provider: its days of retries count from then. Null: it did not. */
  waitedUntil: 'timestamptz?',
});

/** A recipient of an email that has work left. */
export type ClaimedRow = RowOf<typeof CLAIMED>;

/** What a claim took, and what it says of the next one. */
export interface QueueClaim {
  rows: ClaimedRow[];
  /** Whether there may be more, beside what was left out. */
  isMore: boolean;
  /** Whose turn was last: the next claim goes on behind it. */
  last: ProjectStream;
}

/** Default: from the first turn on, with nothing left out. */
export type ClaimOptions = Partial<FairShareOptions>;

/** After this many crashes with a row in flight it runs alone. */
// protection: poison alone
const POISON_CRASHES = 2;

const RETURNED = sql.raw(
  'r.project_id, r.stream, r.email_id, r.recipient_index, r.address, r.octets, r.attempts, r.crashes, r.scheduled_at, r.waited_until, r.lease_id is null as is_set_aside',
);

const CLAIMED_COLUMNS = columnsOf({ ...CLAIMED.kinds, isSetAside: 'bool' });
type FoundRow = RowOf<typeof CLAIMED_COLUMNS>;

/**
 * What a claim sets of rows of the queue, as `r`. Those that belong to the other kind of provider are not claimed but set aside: they leave the
 * index of what is due, so that no later claim meets them again.
 * @param nextAttemptAt of the rows that are claimed
 */
function claimingFor(lease: Cte, nextAttemptAt: RawBuilder<unknown>): RawBuilder<unknown> {
  const isOther = isOfOtherKind(lease.name);
  return sql`
    lease_id = case when ${isOther} then null else ${lease.name}.lease_id end,
    next_attempt_at = case when ${isOther} then 'infinity' else ${nextAttemptAt} end,
    destination = null`;
}

function taken(rows: readonly FoundRow[]): ClaimedRow[] {
  return rows.flatMap(({ isSetAside, ...row }) => (isSetAside ? [] : [row]));
}

/** What is due, or will be. What is parked is elsewhere. */
export const DUE: Indexed = {
  which: sql`r.next_attempt_at < 'infinity'`,
  by: { column: 'next_attempt_at', type: 'timestamptz' },
  upTo: sql`now()`,
  and: sql`r.lease_id is null and r.crashes < ${sql.lit(POISON_CRASHES)}`,
};

/**
 * Up to `limit` due rows. Projects take turns, and so do the streams of each; of a stream those are first that are due
 * the longest. Rows that others hold, or are just claiming, are passed over.
 */
export function claimDue(
  database: Database,
  leaseId: string,
  limit: number,
  options: ClaimOptions = {},
): Promise<QueueClaim> {
  return claimFairly(database, leaseId, limit, DUE, sql`r.next_attempt_at`, options);
}

/** One due row that was in flight at two crashes or more. Its caller runs it with nothing else in flight. */
export async function claimPoison(database: Database, leaseId: string): Promise<ClaimedRow | null> {
  const lease = lockingOpenLease(leaseId);
  const { rows } = await CLAIMED_COLUMNS.sql`
    with ${lease.sql}, due as (
      select project_id, email_id, recipient_index from queue
      where next_attempt_at <= now() and lease_id is null
        and crashes >= ${sql.lit(POISON_CRASHES)}
      order by next_attempt_at limit 1
      for no key update skip locked
    )
    update queue r set ${claimingFor(lease, sql`r.next_attempt_at`)}
    from ${lease.name}, due k
    where ${HAS_KEY}
    returning ${RETURNED}`.execute(database);
  return taken(rows)[0] ?? null;
}

/** From when on the days of its retries count, in milliseconds since 1970: it could not be sent before. */
export function retryClockStartMs({
  emailId,
  scheduledAt,
  waitedUntil,
}: Pick<ClaimedRow, 'emailId' | 'scheduledAt' | 'waitedUntil'>): number {
  return Math.max((scheduledAt ?? timeOf(emailId)).getTime(), waitedUntil?.getTime() ?? 0);
}

/** Whether the row was in flight at two crashes or more. */
export function isPoison({ crashes }: ClaimedRow): boolean {
  return crashes >= POISON_CRASHES;
}

const SHARES = rowsOf<[turn: WaitingStream, rows: number]>('s', {
  project_id: ['uuid', ([{ projectId }]) => projectId],
  stream: ['stream', ([{ stream }]) => stream],
  first: ['text', ([{ first }]) => first ?? ''],
  rows: ['int4', ([, rows]) => rows],
});

/** @param nextAttemptAt of the rows that are claimed */
export async function claimFairly(
  database: Database,
  leaseId: string,
  limit: number,
  from: Indexed,
  nextAttemptAt: RawBuilder<unknown>,
  { after = FIRST_STREAM, leaveOut = [] }: ClaimOptions,
): Promise<QueueClaim> {
  const { turns, areAll, isRound, lookedAt } = await findFairShares(database, from, limit, {
    after,
    leaveOut,
  });
  const { shares, last } = giveFairShares(turns, limit);
  const rows =
    shares.size === 0 ? [] : await claimShares(database, leaseId, from, nextAttemptAt, [...shares]);
  const isLeft = turns.some((turn) => turn.rows > (shares.get(turn) ?? 0) || turn.rows === lookedAt);
  // Where some had rows and no turn, the next claim begins with them. Else it begins with those that were not looked at.
  const isCut = turns.some((turn) => turn.rows > 0 && !shares.has(turn));
  return {
    rows: taken(rows),
    // Where the limit is reached there may be others, whose turn comes next.
    isMore: !isRound || rows.length === limit || (isLeft && rows.length > 0),
    last: (isCut || areAll ? last : turns.at(-1)) ?? after,
  };
}

/** So many rows of each stream: those that are claimed, and those that are set aside. */
async function claimShares(
  database: Database,
  leaseId: string,
  { which, by, upTo, and }: Indexed,
  nextAttemptAt: RawBuilder<unknown>,
  shares: [WaitingStream, number][],
): Promise<FoundRow[]> {
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
