/**
 * Paused destinations: no process on any machine sends to a paused destination until an operator resumes it. Each paused destination is a
 * row in `destination_holds`. Its mail is parked (destinations.ts) and does not bounce. The retry period of the mail starts again when the
 * destination is resumed.
 */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, shaped } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';

/** The retention of rows for resumed destinations: longer than the retry period of a message. */
const REMEMBERED = sql`interval '4 days'`;

/** Pauses a destination. @returns false if the destination was already paused */
export async function pauseDestination(
  database: Database | DatabaseTransaction,
  domain: string,
  now: Date,
): Promise<boolean> {
  const { rows } = await sql`
    insert into destination_holds as h (domain, held_at) values (${domain}, ${now})
    on conflict (domain) do update set held_at = excluded.held_at, resumed_at = null where h.resumed_at is not null
    returning 1`.execute(database);
  return rows.length > 0;
}

/**
 * Resumes a destination and makes its backlog due at once. If the destination is failing, the three-day period after which its mail bounces
 * starts again.
 * @returns false if the destination was not paused
 */
export async function resumeDestination(
  tx: DatabaseTransaction,
  domain: string,
  now: Date,
): Promise<boolean> {
  const { rows } = await sql`
    update destination_holds set resumed_at = ${now} where domain = ${domain} and resumed_at is null returning 1`.execute(
    tx,
  );
  if (rows.length === 0) return false;
  await changeDestinations(
    tx,
    domain,
    sql`failing_since = case when d.failures > 0 then now() end, next_attempt_at = now()`,
  );
  return true;
}

/**
 * Makes a destination due for an attempt at once, including the destinations of senders that it rejects.
 * @returns whether mail is waiting for the destination
 */
export async function tryDestination(tx: DatabaseTransaction, domain: string): Promise<boolean> {
  return changeDestinations(tx, domain, sql`next_attempt_at = now()`);
}

/** @param setting assignments to columns of `destinations`, whose row is `d` */
async function changeDestinations(
  tx: DatabaseTransaction,
  domain: string,
  setting: RawBuilder<unknown>,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with locked as materialized (
      -- Statements that park rows lock destinations in this order too.
      select name from destinations where domain = ${domain} order by name for update
    )
    update destinations d set ${setting} from locked where d.name = locked.name`.execute(tx);
  return Number(numAffectedRows ?? 0n) > 0;
}

export async function isPaused(database: Database | DatabaseTransaction, domain: string): Promise<boolean> {
  const { rows } = await sql`
    select from destination_holds where domain = ${domain} and resumed_at is null`.execute(database);
  return rows.length > 0;
}

/** The paused domains, in the order in which they were paused. */
export async function readPausedDestinations(database: Database): Promise<string[]> {
  const rows = await database
    .selectFrom('destinationHolds')
    .select('domain')
    .where('resumedAt', 'is', null)
    .orderBy('heldAt')
    .execute();
  return rows.map(({ domain }) => domain);
}

/** Deletes the rows of destinations that were resumed long ago. */
export async function deleteOldPauses(database: Database): Promise<void> {
  await sql`delete from destination_holds where resumed_at < now() - ${REMEMBERED}`.execute(database);
}

/** Condition: an operator paused the destination with this domain. */
export function isDomainPaused(domain: RawBuilder<string>): RawBuilder<boolean> {
  return sql<boolean>`exists (select from destination_holds h where h.domain = ${domain} and h.resumed_at is null)`;
}

/** Condition on a row of `destinations`, as `d`: its domain is not paused. */
export const IS_NOT_PAUSED = sql`not ${isDomainPaused(sql`d.domain`)}`;

/** A row of `destination_holds`. */
export interface DestinationHold {
  domain: string;
  /** Milliseconds since 1970. Null: the destination is paused. */
  resumedMs: number | null;
}

/** SQL value: all rows of `destination_holds`, as JSON of `DestinationHold[]`. */
export const DESTINATION_HOLDS = sql`(
  select coalesce(json_agg(json_build_object('domain', domain,
    'resumedMs', floor(extract(epoch from resumed_at) * 1000))), '[]')
  from destination_holds)`;

/** Caches the paused destinations, as of the last check. */
export class PausedDestinations {
  readonly #database: Database;
  #paused: ReadonlySet<string> = new Set();
  #resumedMs: ReadonlyMap<string, number> = new Map();
  #earliestRetryStartMs = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Reads the paused destinations. A worker calls `poll` before it begins to send.
   * @returns whether a destination was paused since the last check
   * @throws database errors; the last known state then stays valid
   */
  async poll(): Promise<boolean> {
    const { rows } = await columnsOf({ holds: shaped<DestinationHold[]>('json') }).sql`
      select ${DESTINATION_HOLDS} as holds`.execute(this.#database);
    return this.learn(rows.flatMap(({ holds }) => holds));
  }

  /** Like `poll`, from rows that were just read. */
  learn(holds: readonly DestinationHold[]): boolean {
    const known = this.#paused;
    this.#paused = new Set(holds.filter(({ resumedMs }) => resumedMs === null).map(({ domain }) => domain));
    this.#resumedMs = new Map(
      holds.flatMap(({ domain, resumedMs }) => (resumedMs === null ? [] : [[domain, resumedMs]])),
    );
    return [...this.#paused].some((domain) => !known.has(domain));
  }

  /** Whether any destination is paused. */
  get hasPaused(): boolean {
    return this.#paused.size > 0;
  }

  isPaused(domain: string): boolean {
    return this.#paused.has(domain);
  }

  /** The start of a message's retry period, in milliseconds since 1970. */
  retryStartMs(domain: string, acceptedMs: number): number {
    return Math.max(acceptedMs, this.#resumedMs.get(domain) ?? 0, this.#earliestRetryStartMs);
  }

  /** Sets the earliest start of the retry period for all messages, because no mail could be sent before this time. */
  setEarliestRetryStart(ms: number): void {
    this.#earliestRetryStartMs = ms;
  }

  get earliestRetryStartMs(): number {
    return this.#earliestRetryStartMs;
  }
}
