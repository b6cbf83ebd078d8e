/**
 * Destinations that recipients wait for. When a destination does not answer, or has more mail than its share, its rows
 * are *parked*: taken out of the order of the queue, so that they are in nobody's way and nobody looks at them one by
 * one. The row of the destination says when it is looked at next:
 *
 *   no row --park--> backlog (failures = 0) --all claimed--> no row
 *                       |            ^
 *                     close         open
 *                       v            |
 *   no row --close--> failing (failures > 0) --looked at, nothing is parked--> no row
 *
 * A parked row always has the row of its destination: both are written in one statement, and whoever removes the row
 * of a destination locks it first and then looks whether anything is parked.
 *
 * A sender that a destination refuses, while it takes the mail of others, is a destination of its own: see
 * rejected-senders.ts.
 */
import { sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../db/columns.ts';
import { textArray } from '../db/arrays.ts';
import type { Database } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import { type QueueClaim, claimFairly, type ClaimOptions } from './claim.ts';
import { HAS_KEY, holdingDestinations, isClaimedUnder, keysOf, type RowKey } from './fragments.ts';
import { IS_FREE } from './paused-destinations.ts';
import { firstUuidAt } from '../model/ids.ts';
import { TIMINGS } from './timings.ts';
import type { Indexed, ProjectStream } from './fair-shares.ts';

const WAITING_DESTINATION = columnsOf({
  /** A domain, or what a refused sender waits for. */
  name: 'text',
  /** 0: it takes mail. */
  failures: 'int4',
  /** What the last try heard. */
  reply: shaped<object | null>('json?'),
  /** Until its recipients are looked at again; not positive: that is due. */
  waitMs: 'float8',
  /** Whose row the last probe was. */
  probed: shaped<ProjectStream | null>('json?'),
});

export type WaitingDestination = RowOf<typeof WAITING_DESTINATION>;

/** What is known of the destinations with these domains, and of the senders that they refuse, as far as recipients wait for them. */
export async function findDestinations(
  database: Database,
  domains: readonly string[],
): Promise<WaitingDestination[]> {
  const { rows } = await WAITING_DESTINATION.sql`
    select name, failures, reply, extract(epoch from next_attempt_at - now())::float8 * 1000 as wait_ms, probed
    from destinations where domain = any(${textArray(domains)}::text[])`.execute(database);
  return rows;
}

/**
 * Destinations whose time has come. A failing one is the caller's to try: nobody else is given it meanwhile. A refused sender
 * is not tried while its destination takes nobody's mail, and nobody is while the destination is held.
 * @param limits how many with a backlog, and how many that fail
 */
export async function takeDueDestinations(
  database: Database,
  limits: { backlogs: number; failing: number },
): Promise<WaitingDestination[]> {
  const { rows } = await WAITING_DESTINATION.sql`
    with backlogs as (
      select name from destinations d where next_attempt_at <= now() and failures = 0 and ${IS_FREE}
      order by next_attempt_at limit ${limits.backlogs} for update skip locked
    ), failing as (
      select name from destinations d where next_attempt_at <= now() and failures > 0
        and (name = domain or not exists (select from destinations where name = d.domain and failures > 0)) and ${IS_FREE}
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

/** What was taken is another worker's to look at. Not at once: it would come back to whoever looks all the time. */
export async function passOn(database: Database, names: readonly string[]): Promise<void> {
  await sql`
    with mine as materialized (
      -- Whoever parks locks them in this order, too.
      select name from destinations where name = any(${textArray(names)}::text[]) order by name for update
    )
    update destinations d set next_attempt_at = now() + ${TIMINGS.passOnMs}::int * interval '1 millisecond'
    from mine where d.name = mine.name`.execute(database);
}

/**
 * The destination as a whole could not be used. When several workers find out at once, the first one counts.
 * @param known how many failures in a row the caller knew of
 * @returns for how long it has failed without a break, in milliseconds; null when another worker's finding counts
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

/** The next probe is another's, where others wait. */
export async function rememberProbe(database: Database, name: string, probed: ProjectStream): Promise<void> {
  await sql`update destinations set probed = ${JSON.stringify(probed)} where name = ${name}`.execute(
    database,
  );
}

/** It answers again: what is parked for it is a backlog. */
export async function openDestination(database: Database, name: string): Promise<void> {
  await sql`
    update destinations set failures = 0, failing_since = null, reply = null, next_attempt_at = now()
    where name = ${name}`.execute(database);
}

/** Removes the row of a destination unless something is parked for it. */
export async function forgetDestination(database: Database, name: string): Promise<void> {
  await database.transaction().execute(async (tx) => {
    // Whoever parks a row locks this one too. The next statement sees what was committed until the lock was ours.
    await sql`select from destinations where name = ${name} for update`.execute(tx);
    await sql`
      delete from destinations where name = ${name}
      and not exists (select from queue where destination = ${name} and next_attempt_at = 'infinity')`.execute(
      tx,
    );
  });
}

/** Rows that the lease holds, and did not begin, wait for their destination. */
export async function parkUnstarted(
  database: Database,
  leaseId: string,
  rows: readonly RowKey[],
  destination: string,
): Promise<void> {
  await sql`
    with ${holdingDestinations([destination])}
    update queue r set lease_id = null, in_flight = false, next_attempt_at = 'infinity', destination = ${destination}
    from ${keysOf(rows)} where ${HAS_KEY} and ${isClaimedUnder(sql`${leaseId}`)}`.execute(database);
}

/**
 * Puts back into the order of the queue what is parked for a destination. Where all mail goes one way nobody claims it by its name.
 * @returns how many of up to `limit`
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

/** What a stream of a project has for one destination. */
export interface ForDestination extends ProjectStream {
  destination: string;
}

const FOR_DESTINATIONS = rowsOf<ForDestination>('d', {
  destination: ['text', ({ destination }) => destination],
  project_id: ['uuid', ({ projectId }) => projectId],
  stream: ['stream', ({ stream }) => stream],
});

/** The destination of a row of the queue: the domain of its address. */
const DESTINATION = sql`split_part(address, '@', -1)`;

/**
 * Parks the rows that streams have for these destinations, among the rows of each stream that are due the longest:
 * `limit` for all streams. Later rows are not looked at: a few of them in a long queue are in nobody's way.
 * @returns how many were parked
 */
export async function parkDue(
  database: Database,
  crowded: readonly ForDestination[],
  limit: number,
): Promise<number> {
  const destinations = crowded.map(({ destination }) => destination);
  const { numAffectedRows } = await sql`
    with ${holdingDestinations(destinations)}, crowded as materialized (
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
      -- Not a join: PostgreSQL would compare each row with each of the others.
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
  /** Only rows of emails that were made before a time, were to be sent before it, and waited no longer for their provider. */
  before?: Date;
}

/**
 * Up to `limit` rows that are parked for the destination. Projects take turns, and so do the streams of each; of a stream
 * the oldest emails are first.
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
