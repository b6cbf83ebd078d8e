/**
 * Destinations with waiting recipients. When a destination is unreachable or has more mail than its share, its rows are *parked*: they
 * leave the queue order, so that they delay no other mail and claims do not scan them. `next_attempt_at` of the destination is the time of
 * its next poll or probe:
 *
 *   no row --park--> backlog (failures = 0) --all claimed--> no row
 *                       |            ^
 *                     close         open
 *                       v            |
 *   no row --close--> failing (failures > 0) --probed, nothing is parked--> no row
 *
 * Every parked row has a row for its destination: one statement writes both rows. Before the row of a destination is deleted, the row is
 * locked and the queue is checked for parked rows.
 *
 * If a destination rejects one sender but accepts mail from other senders, the mail from the rejected sender waits for a destination of its
 * own (rejected-senders.ts).
 */
import { sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../db/columns.ts';
import { textArray } from '../db/arrays.ts';
import type { Database } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import { type QueueClaim, claimFairly, type ClaimOptions } from './claim.ts';
import { HAS_KEY, lockingDestinations, isClaimedUnder, keysOf, type RowKey } from './fragments.ts';
import { IS_NOT_PAUSED } from './paused-destinations.ts';
import { firstUuidAt } from '../model/ids.ts';
import { TIMINGS } from './timings.ts';
import type { Indexed, ProjectStream } from './fair-shares.ts';

const WAITING_DESTINATION = columnsOf({
  /** A domain, or the name of a rejected sender (`nameOfSender`). */
  name: 'text',
  /** Consecutive failures. 0: the destination accepts mail. */
  failures: 'int4',
  /** Reply or connection error of the last attempt. */
  reply: shaped<object | null>('json?'),
  /** Milliseconds until the next poll or probe; zero or negative means due. */
  waitMs: 'float8',
  /** Project and stream of the row that the last probe sent. */
  probed: shaped<ProjectStream | null>('json?'),
});

export type WaitingDestination = RowOf<typeof WAITING_DESTINATION>;

/**
 * The destinations with these domains, including the separate destinations for mail from senders that a domain rejects (`nameOfSender`). A
 * destination for which nothing waits is left out.
 */
export async function findDestinations(
  database: Database,
  domains: readonly string[],
): Promise<WaitingDestination[]> {
  const { rows } = await WAITING_DESTINATION.sql`
    select name, failures, reply, extract(epoch from next_attempt_at - now())::float8 * 1000 as wait_ms, probed
    from destinations where domain = any(${textArray(domains)}::text[])`.execute(database);
  return rows;
}

/** Condition: a destination is due for a poll or a probe. */
export const HAS_DUE_DESTINATIONS = sql`exists (
  select from destinations d where next_attempt_at <= now() and ${IS_NOT_PAUSED})`;

/**
 * Claims due destinations and sets the time of their next poll or probe. A failing destination is reserved for `probeLeaseMs`: during this
 * time only the caller probes it. Skips paused destinations, and rejected senders whose whole destination is failing.
 * @param limits the maximum numbers of destinations to claim: one number for destinations with a backlog, one for failing destinations
 * @param except names of destinations to leave to other workers
 */
export async function claimDueDestinations(
  database: Database,
  limits: { backlogs: number; failing: number },
  except: readonly string[] = [],
): Promise<WaitingDestination[]> {
  const isOffered = sql`next_attempt_at <= now() and name <> all(${textArray(except)}::text[]) and ${IS_NOT_PAUSED}`;
  const { rows } = await WAITING_DESTINATION.sql`
    with backlogs as (
      select name from destinations d where failures = 0 and ${isOffered}
      order by next_attempt_at limit ${limits.backlogs} for update skip locked
    ), failing as (
      select name from destinations d where failures > 0 and ${isOffered}
        and (name = domain or not exists (select from destinations where name = d.domain and failures > 0))
      order by next_attempt_at limit ${limits.failing} for update skip locked
    ), due as (
      select name from backlogs union all select name from failing
    )
    update destinations d
    set next_attempt_at = now() + case when d.failures = 0 then ${TIMINGS.backlogLookMs}::int else ${TIMINGS.probeLeaseMs}::int end * interval '1 millisecond'
    from due where d.name = due.name
    returning d.name, d.failures, d.reply, 0::float8 as wait_ms, d.probed`.execute(database);
  return rows;
}

/** Makes destinations due for other workers. The caller must leave them out of its next claims. */
export async function passOn(database: Database, names: readonly string[]): Promise<void> {
  await sql`
    with mine as materialized (
      -- Statements that park rows lock destinations in this order too.
      select name from destinations where name = any(${textArray(names)}::text[]) order by name for update
    )
    update destinations d set next_attempt_at = now() from mine where d.name = mine.name`.execute(database);
}

/**
 * Closes a destination that could not be used at all. If several workers notice the failure at once, it counts as one failure.
 * @param known the number of consecutive failures that the caller knew of
 * @returns how long the destination has been failing, in milliseconds; null if another worker closed the destination first
 */
export async function closeDestination(
  database: Database,
  name: string,
  known: number,
  delayMs: number,
  reply: object,
): Promise<number | null> {
  const { rows } = await columnsOf({ failingMs: 'float8' }).sql`
    insert into destinations as d (name, failures, failing_since, reply, next_attempt_at)
    -- protection: row of a closed destination
    values (${name}, ${known + 1}, now(), ${JSON.stringify(reply)}, now() + ${delayMs}::int * interval '1 millisecond')
    on conflict (name) do update
    set failures = excluded.failures, failing_since = coalesce(d.failing_since, now()), reply = excluded.reply,
        next_attempt_at = excluded.next_attempt_at
    where d.failures = ${known}
    returning extract(epoch from now() - failing_since)::float8 * 1000 as failing_ms`.execute(database);
  return rows[0]?.failingMs ?? null;
}

/** Records the stream that was probed, so that the next probe uses another stream. */
export async function rememberProbe(database: Database, name: string, probed: ProjectStream): Promise<void> {
  await sql`update destinations set probed = ${JSON.stringify(probed)} where name = ${name}`.execute(
    database,
  );
}

/** Opens a destination that accepts mail again. Its parked rows become a backlog. */
export async function openDestination(database: Database, name: string): Promise<void> {
  await sql`
    update destinations set failures = 0, failing_since = null, reply = null, next_attempt_at = now()
    where name = ${name}`.execute(database);
}

/** Deletes the row of a destination unless rows are parked for it. */
export async function forgetDestination(database: Database, name: string): Promise<void> {
  await database.transaction().execute(async (tx) => {
    // Statements that park rows lock this row too, so the next statement finds all rows that were parked before the lock was granted.
    await sql`select from destinations where name = ${name} for update`.execute(tx);
    await sql`
      delete from destinations where name = ${name}
      and not exists (select from queue where destination = ${name} and next_attempt_at = 'infinity')`.execute(
      tx,
    );
  });
}

/**
 * Parks rows that the lease claimed but did not begin.
 * @param options `isForOthers` makes the destination due at once, because the caller may not use it and another worker must send the rows
 */
export async function parkUnstarted(
  database: Database,
  leaseId: string,
  rows: readonly RowKey[],
  destination: string,
  { isForOthers }: { isForOthers: boolean } = { isForOthers: false },
): Promise<void> {
  await sql`
    with ${lockingDestinations([destination], { areDue: isForOthers })}
    update queue r set lease_id = null, in_flight = false, next_attempt_at = 'infinity', destination = ${destination}
    from ${keysOf(rows)} where ${HAS_KEY} and ${isClaimedUnder(sql`${leaseId}`)}`.execute(database);
}

/**
 * Returns parked rows to the queue order. Used by workers that send all mail over one route, because they do not claim rows by destination.
 * @returns the number of rows, at most `limit`
 */
export async function unpark(database: Database, name: string, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    with waiting as (
      select project_id, email_id, recipient_index from queue
      where destination = ${name} and next_attempt_at = 'infinity'
      limit ${limit} for no key update skip locked
    )
    update queue r set destination = null, next_attempt_at = now()
    from waiting k where ${HAS_KEY}`.execute(database);
  return Number(numAffectedRows ?? 0n);
}

/** The mail for one destination in one stream of a project. */
export interface ForDestination extends ProjectStream {
  destination: string;
}

const FOR_DESTINATIONS = rowsOf<ForDestination>('d', {
  destination: ['text', ({ destination }) => destination],
  project_id: ['uuid', ({ projectId }) => projectId],
  stream: ['stream', ({ stream }) => stream],
});

/** The destination of a queue row: the domain of its address. */
const DESTINATION = sql`split_part(address, '@', -1)`;

/**
 * Parks due rows of the given streams for the given destinations. Scans only the start of each stream, where the rows have been due
 * longest: `limit` rows for all streams together. Matching rows further back are few and delay no other mail.
 * @returns the number of parked rows
 */
export async function parkDue(
  database: Database,
  crowded: readonly ForDestination[],
  limit: number,
): Promise<number> {
  const destinations = crowded.map(({ destination }) => destination);
  const { numAffectedRows } = await sql`
    with ${lockingDestinations(destinations)}, crowded as materialized (
      select ${FOR_DESTINATIONS.values} from ${FOR_DESTINATIONS.from(crowded)}
    ), streams as materialized (
      select project_id, stream, ${limit}::int / count(*) over () as rows from crowded group by project_id, stream
    ), head as materialized (
      select head.* from streams, lateral (
        select project_id, stream, email_id, recipient_index, ${DESTINATION} as destination from queue
        where project_id = streams.project_id and stream = streams.stream
          and next_attempt_at < 'infinity' and next_attempt_at <= now() and lease_id is null and crashes = 0
        order by next_attempt_at limit streams.rows
      ) head
    ), found as materialized (
      select project_id, email_id, recipient_index from head
      -- Not a join, which could compare each row with every other one.
      where ((project_id, stream, destination) in (select project_id, stream, destination from crowded)) is true
    ), due as (
      select r.project_id, r.email_id, r.recipient_index from found k, queue r
      where ${HAS_KEY} and r.next_attempt_at <= now() and r.lease_id is null
      for no key update of r skip locked
    )
    update queue r set next_attempt_at = 'infinity', destination = ${DESTINATION}
    from due k where ${HAS_KEY}`.execute(database);
  return Number(numAffectedRows ?? 0n);
}

export interface ClaimParkedOptions extends ClaimOptions {
  /**
   * Only rows of emails created before this time. If a row was scheduled or waited for a provider, its scheduled time and the end of its
   * wait must not be later than this time.
   */
  before?: Date;
}

/**
 * Claims up to `limit` rows parked for the destination, round-robin between projects and between the streams of each project. Within a
 * stream, the oldest emails come first.
 */
export function claimParked(
  database: Database,
  leaseId: string,
  destination: string,
  limit: number,
  { before, ...options }: ClaimParkedOptions = {},
): Promise<QueueClaim> {
  const parked: Indexed = {
    which: sql`r.destination = ${destination} and r.next_attempt_at = 'infinity'`,
    by: { column: 'email_id', type: 'uuid' },
    upTo: before === undefined ? null : sql`${firstUuidAt(before)}::uuid`,
    and:
      before === undefined
        ? sql`true`
        : sql`(r.scheduled_at is null or r.scheduled_at <= ${before}) and (r.waited_until is null or r.waited_until <= ${before})`,
  };
  return claimFairly(database, leaseId, limit, parked, sql`now()`, options);
}
