/**
 * Counts guesses at passwords and codes in the database, across all protocols, processes and hosts. A row stores only the time at which all
 * guesses are forgiven (the generic cell rate algorithm, as in `TokenBuckets`), so rows have a fixed size and expire by themselves.
 */
import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { columnsOf } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import { BoundedMap } from '../../concurrency/bounded-map.ts';
import { widerNetwork } from '../../net/client-network.ts';
import {
  type GuessAllowance,
  INVITATIONS,
  KNOWN,
  LINK,
  LINK_NETWORK,
  MAX_REMEMBERED,
  NETWORK,
  NETWORK_RESETS,
  ORGANIZATION_INVITATIONS,
  RESETS,
  STRANGERS,
  WIDER_NETWORK,
} from './limits.ts';
import { TIMINGS } from './timings.ts';

/** A counter of guesses. */
export interface Guess extends GuessAllowance {
  /** A hash in the form of a uuid, so that the table does not reveal for which account passwords were guessed. */
  key: string;
}

function guess(allowance: GuessAllowance, ...what: string[]): Guess {
  return { ...allowance, key: hash('sha256', JSON.stringify(what), 'hex').slice(0, 32) };
}

/** The account that a client tries to sign in to, as a list of parts. All spellings of an account's name give the same list. */
export type GuessedName = readonly string[];

/**
 * The counter for an account in a network from which the owner has signed in before. Attackers in other networks cannot exhaust this
 * counter.
 */
export function knownGuess(name: GuessedName, network: string): Guess {
  return guess(KNOWN, 'known', ...name, network);
}

/** The counters for a client in an unknown network. @param name null if no account can have the name that the client has sent */
export function strangersGuesses(name: GuessedName | null, address: string, network: string): Guess[] {
  return [
    ...(name === null ? [] : [accountGuess(name)]),
    guess(NETWORK, 'network', network),
    guess(WIDER_NETWORK, 'wider', widerNetwork(address)),
  ];
}

/** The counters for visitors of a file link. The networks of visitors are never known. @param linkId uuid */
export function linkGuesses(linkId: string, address: string, network: string): Guess[] {
  return [
    guess(LINK_NETWORK, 'link-network', linkId, network),
    guess(LINK, 'link', linkId),
    ...strangersGuesses(null, address, network),
  ];
}

export function accountGuess(name: GuessedName): Guess {
  return guess(STRANGERS, 'account', ...name);
}

/** The counters for requesting a mail with a reset link, whether or not the address has an account. */
export function resetGuesses(name: GuessedName, network: string): Guess[] {
  return [guess(RESETS, 'reset', ...name), guess(NETWORK_RESETS, 'resets', network)];
}

/** The counters for inviting a user by mail. @param organizationId uuid */
export function invitationGuesses(name: GuessedName, organizationId: string): Guess[] {
  return [
    guess(INVITATIONS, 'invitation', ...name),
    guess(ORGANIZATION_INVITATIONS, 'invitations', organizationId),
  ];
}

const GUESSES = rowsOf<Guess>('g', {
  key: ['uuid', ({ key }) => key],
  burst: ['int4', ({ burst }) => burst],
  each_ms: ['int4', ({ eachMs }) => eachMs],
});
const EACH = sql`g.each_ms * interval '1 millisecond'`;

const COUNTED = columnsOf({ key: 'uuid', isTaken: 'bool', waitMs: 'float8' });

export class Guesses {
  readonly #database: Database;
  /**
   * Exhausted counters by key. `untilMs`: when the next guess is allowed. `queryAtMs`: when to query the database again, because `unlock`
   * may have reset the counter. Both times are values of `performance.now()`.
   */
  readonly #exhausted = new BoundedMap<string, { untilMs: number; queryAtMs: number }>(MAX_REMEMBERED);

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * How long the client must still wait, in ms, according to a recent result of `take` that is cached in memory, so that a flood of guesses
   * does not reach the database. 0 if `take` must be called.
   */
  remainingWaitMs(guesses: readonly Guess[]): number {
    const nowMs = performance.now();
    const exhausted = guesses.map(({ key }) => this.#exhausted.get(key)).filter((each) => each !== undefined);
    const isQueried = exhausted.every(({ queryAtMs }) => queryAtMs <= nowMs);
    return isQueried ? 0 : Math.max(1, ...exhausted.map(({ untilMs }) => untilMs - nowMs));
  }

  /** Whether the last query found an exhausted counter, and no guess has been forgiven since. */
  isExhausted(guesses: readonly Guess[]): boolean {
    return guesses.some(({ key }) => (this.#exhausted.get(key)?.untilMs ?? 0) > performance.now());
  }

  /**
   * Counts a guess before it is made, so concurrent guesses cannot exceed the limit.
   * @returns 0 if the guess is counted; otherwise the wait until the next guess, in ms
   */
  async take(guesses: readonly Guess[]): Promise<number> {
    // Inserts in a fixed order, so that two statements that lock the same rows do not deadlock.
    const { rows } = await COUNTED.sql`
      with g as (select * from ${GUESSES.from(guesses)}),
      taken as (
        insert into sign_in_guesses as s (key, forgiven_at) select g.key, now() + ${EACH} from g order by g.key
        on conflict (key) do update set forgiven_at = greatest(s.forgiven_at, now()) + (excluded.forgiven_at - now())
        where greatest(s.forgiven_at, now()) + (excluded.forgiven_at - now())
          <= (select now() + g.burst * ${EACH} from g where g.key = s.key)
        returning s.key
      )
      select g.key, g.key in (select key from taken) as is_taken,
        coalesce(extract(epoch from s.forgiven_at + ${EACH} - now() - g.burst * ${EACH})::float8 * 1000, 0) as wait_ms
      from g left join sign_in_guesses s on s.key = g.key`.execute(this.#database);
    const refused = rows.filter(({ isTaken }) => !isTaken);
    for (const { key } of guesses) this.#exhausted.delete(key);
    if (refused.length === 0) return 0;
    const nowMs = performance.now();
    for (const { key, waitMs } of refused)
      this.#exhausted.set(plain(key), {
        untilMs: nowMs + waitMs,
        queryAtMs: nowMs + Math.min(waitMs, TIMINGS.cachedWaitMs),
      });
    const counted = rows.filter(({ isTaken }) => isTaken).map(({ key }) => plain(key));
    await this.refund(guesses.filter(({ key }) => counted.includes(key)));
    return Math.max(1, ...refused.map(({ waitMs }) => waitMs));
  }

  /** Removes a guess from the counters, for example because the password was right. */
  async refund(guesses: readonly Guess[]): Promise<void> {
    if (guesses.length === 0) return;
    await sql`
      with g as (select * from ${GUESSES.from(guesses)}),
      held as (select s.key from sign_in_guesses s join g on g.key = s.key order by s.key for update of s)
      update sign_in_guesses s set forgiven_at = s.forgiven_at - ${EACH}
      from g join held on held.key = g.key where s.key = g.key`.execute(this.#database);
  }
}

/** Removes the hyphens with which PostgreSQL writes a uuid. */
function plain(uuid: string): string {
  return uuid.replaceAll('-', '');
}

/** Resets the counters of all given guesses. */
export async function forgive(
  database: Database | DatabaseTransaction,
  guesses: readonly Guess[],
): Promise<void> {
  const keys = guesses.map(({ key }) => key);
  await database.deleteFrom('signInGuesses').where('key', 'in', keys).execute();
}
