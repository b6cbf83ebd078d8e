/**
 * Destinations that are held: nothing goes there, from any process of any machine, until somebody resumes them. A row each in
 * `destination_holds`. What would go there is parked (destinations.ts), and neither bounces nor counts its days meanwhile.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../db/database.ts';

/** A resumed one is remembered for longer than a message is tried. */
const REMEMBERED = sql`interval '4 days'`;

/** @returns false: it is held already */
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
 * What waits for the destination is looked at at once. Where it fails, the three days of what waits begin anew.
 * @returns false: it is not held
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
 * A destination that failed, and the senders that it refuses, are tried at once.
 * @returns whether anything waits for it
 */
export async function tryDestination(tx: DatabaseTransaction, domain: string): Promise<boolean> {
  return changeDestinations(tx, domain, sql`next_attempt_at = now()`);
}

/** @param setting columns of the row, as `d` */
async function changeDestinations(
  tx: DatabaseTransaction,
  domain: string,
  setting: RawBuilder<unknown>,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with those as materialized (
      -- Whoever parks locks them in this order, too.
      select name from destinations where domain = ${domain} order by name for update
    )
    update destinations d set ${setting} from those where d.name = those.name`.execute(tx);
  return Number(numAffectedRows ?? 0n) > 0;
}

export async function isPaused(database: Database | DatabaseTransaction, domain: string): Promise<boolean> {
  const { rows } = await sql`
    select from destination_holds where domain = ${domain} and resumed_at is null`.execute(database);
  return rows.length > 0;
}

/** The domains that are held, the first one first. */
export async function readPausedDestinations(database: Database): Promise<string[]> {
  const rows = await database
    .selectFrom('destinationHolds')
    .select('domain')
    .where('resumedAt', 'is', null)
    .orderBy('heldAt')
    .execute();
  return rows.map(({ domain }) => domain);
}

/** Forgets what was resumed long ago. */
export async function deleteOldPauses(database: Database): Promise<void> {
  await sql`delete from destination_holds where resumed_at < now() - ${REMEMBERED}`.execute(database);
}

/** Condition of a row of `destinations`, as `d`: its domain is not held. */
export const IS_FREE = sql`not exists (select from destination_holds h where h.domain = d.domain and h.resumed_at is null)`;

/** Knows what is held, as of the last look. */
export class PausedDestinations {
  readonly #database: Database;
  #held: ReadonlySet<string> = new Set();
  #resumedMs: ReadonlyMap<string, number> = new Map();
  #daysFromMs = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * What begins to send looks first.
   * @returns whether more is held than before
   * @throws what the database says; what was known still holds then
   */
  async look(): Promise<boolean> {
    const rows = await this.#database
      .selectFrom('destinationHolds')
      .select(['domain', 'resumedAt'])
      .execute();
    const known = this.#held;
    this.#held = new Set(rows.filter(({ resumedAt }) => resumedAt === null).map(({ domain }) => domain));
    this.#resumedMs = new Map(
      rows.flatMap(({ domain, resumedAt }) => (resumedAt === null ? [] : [[domain, resumedAt.getTime()]])),
    );
    return [...this.#held].some((domain) => !known.has(domain));
  }

  /** Whether anything is held at all. */
  get isAny(): boolean {
    return this.#held.size > 0;
  }

  isHeld(domain: string): boolean {
    return this.#held.has(domain);
  }

  /** From when on the days of a message count. */
  ageFromMs(domain: string, acceptedMs: number): number {
    return Math.max(acceptedMs, this.#resumedMs.get(domain) ?? 0, this.#daysFromMs);
  }

  /** Before this nothing could go anywhere: the days of all messages count from then. */
  countDaysFrom(ms: number): void {
    this.#daysFromMs = ms;
  }

  get daysFromMs(): number {
    return this.#daysFromMs;
  }
}
