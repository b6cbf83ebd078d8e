/**
 * How often somebody may still guess: counted in the database, over all doors, processes and hosts. A row is one number, the time at
 * which all guesses are forgiven (the generic cell rate algorithm, as in `TokenBuckets`): it forgives by itself, and has an end.
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

/** What a guess is counted for. */
export interface Guess extends GuessAllowance {
  /** A uuid that is a hash: nobody reads in the table whom somebody guessed at. */
  key: string;
}

function guess(allowance: GuessAllowance, ...what: string[]): Guess {
  return { ...allowance, key: hash('sha256', JSON.stringify(what), 'hex').slice(0, 32) };
}

/** Whom somebody signs in as, in parts: one name of a mailbox, or of a user of the dashboard, however it is spelled. */
export type GuessedName = readonly string[];

/** Those of the owner, in a network where they were before: nobody elsewhere can use them up. */
export function knownGuess(name: GuessedName, network: string): Guess {
  return guess(KNOWN, 'known', ...name, network);
}

/** Those of everybody else. @param name null: such a user cannot be */
export function strangersGuesses(name: GuessedName | null, address: string, network: string): Guess[] {
  return [
    ...(name === null ? [] : [accountGuess(name)]),
    guess(NETWORK, 'network', network),
    guess(WIDER_NETWORK, 'wider', widerNetwork(address)),
  ];
}

/** Those of visitors of a file link, who are all strangers. @param linkId uuid */
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

/** Asking for a mail with a link, whether or not anybody has the address. */
export function resetGuesses(name: GuessedName, network: string): Guess[] {
  return [guess(RESETS, 'reset', ...name), guess(NETWORK_RESETS, 'resets', network)];
}

/** Inviting somebody by mail. @param organizationId uuid */
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
  /** Until when a key has nothing to give, and from when on the database is asked all the same, on the clock of `performance.now()`. */
  readonly #resting = new BoundedMap<string, { untilMs: number; askAtMs: number }>(MAX_REMEMBERED);

  constructor(database: Database) {
    this.#database = database;
  }

  /** As `take` said a moment ago: a flood of guesses costs the database nothing. */
  restMs(guesses: readonly Guess[]): number {
    const nowMs = performance.now();
    const resting = guesses.map(({ key }) => this.#resting.get(key)).filter((each) => each !== undefined);
    const isAsked = resting.every(({ askAtMs }) => askAtMs <= nowMs);
    return isAsked ? 0 : Math.max(1, ...resting.map(({ untilMs }) => untilMs - nowMs));
  }

  /** Whether there was nothing left when the database was asked last, and nothing was forgiven since. */
  isUsedUp(guesses: readonly Guess[]): boolean {
    return guesses.some(({ key }) => (this.#resting.get(key)?.untilMs ?? 0) > performance.now());
  }

  /**
   * Counts a guess before it is made: of many at once none gets past the limit. @returns how long to wait when there is none left, in ms;
   * 0: it is counted
   */
  async take(guesses: readonly Guess[]): Promise<number> {
    // All in one order: two statements that want the same rows do not wait in a circle.
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
    for (const { key } of guesses) this.#resting.delete(key);
    if (refused.length === 0) return 0;
    const nowMs = performance.now();
    for (const { key, waitMs } of refused)
      this.#resting.set(plain(key), {
        untilMs: nowMs + waitMs,
        askAtMs: nowMs + Math.min(waitMs, TIMINGS.restMs),
      });
    const counted = rows.filter(({ isTaken }) => isTaken).map(({ key }) => plain(key));
    await this.giveBack(guesses.filter(({ key }) => counted.includes(key)));
    return Math.max(1, ...refused.map(({ waitMs }) => waitMs));
  }

  /** It was no guess. */
  async giveBack(guesses: readonly Guess[]): Promise<void> {
    if (guesses.length === 0) return;
    await sql`
      with g as (select * from ${GUESSES.from(guesses)}),
      held as (select s.key from sign_in_guesses s join g on g.key = s.key order by s.key for update of s)
      update sign_in_guesses s set forgiven_at = s.forgiven_at - ${EACH}
      from g join held on held.key = g.key where s.key = g.key`.execute(this.#database);
  }
}

/** PostgreSQL writes a uuid with hyphens. */
function plain(uuid: string): string {
  return uuid.replaceAll('-', '');
}

/** Forgives at once. */
export async function forgive(
  database: Database | DatabaseTransaction,
  guesses: readonly Guess[],
): Promise<void> {
  const keys = guesses.map(({ key }) => key);
  await database.deleteFrom('signInGuesses').where('key', 'in', keys).execute();
}
