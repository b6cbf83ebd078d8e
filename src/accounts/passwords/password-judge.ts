/** Whether a password is that of an account, and whether it may be looked at at all (docs/decisions/0049-signing-in.md). */
import type { Database } from '../../db/database.ts';
import { AppError } from '../../model/app-error.ts';
import { Turns } from '../../model/turns.ts';
import { widerNetwork } from '../../net/client-network.ts';
import { type Guess, type GuessedName, Guesses, knownGuess, strangersGuesses } from './guesses.ts';
import { HashingThread } from './hashing-thread.ts';
import { BUSY_SECONDS, MAX_WAITING, MAX_WAITING_OF_NETWORK } from './limits.ts';
import { ProvenPasswords, WrongPasswords } from './memory.ts';
import { TIMINGS } from './timings.ts';

/** A mailbox or a user that a name may mean. */
export interface Candidate {
  /** uuid */
  id: string;
  passwordHash: string | null;
  /** Where there is a second factor, mail apps need app passwords: they cannot ask for it. */
  isPasswordEnough: boolean;
  /** Its owner has signed in from the network. */
  isKnown: boolean;
}

export interface Asked<Account extends Candidate> {
  /** Empty: one that nobody has. */
  password: string;
  name: GuessedName | null;
  address: string;
  network: string;
  /** Those that the name may mean. */
  accounts: readonly Account[];
}

type Unheard = {
  verdict: 'unheard';
  reason: 'guesses' | 'busy';
  afterSeconds: number;
  /** The same was said a moment ago. */
  isRepeated: boolean;
};

/** For the log alone. */
export type WrongReason = 'nobody' | 'wrong-password' | 'not-enough';

export type Judged<Account extends Candidate> =
  | { verdict: 'right'; account: Account; passwordHash: string }
  | { verdict: 'wrong'; reason: WrongReason; isRepeated: boolean }
  | Unheard;

const TOO_MANY = new AppError('unavailable', 'Too many passwords of this network wait to be checked.', {
  retryAfterSeconds: BUSY_SECONDS,
});
const LINE = {
  places: 1,
  placesOfOne: 1,
  maxWaitingOfOne: MAX_WAITING_OF_NETWORK,
  refusal: () => TOO_MANY,
};

export class PasswordJudge<Account extends Candidate> implements AsyncDisposable {
  readonly #guesses: Guesses;
  readonly #guessesOf: (asked: Asked<Account>) => Guess[];
  readonly #thread = new HashingThread();
  readonly #proven = new ProvenPasswords();
  readonly #wrong = new WrongPasswords();
  /** Owners in networks that they were in before do not stand in the line of the others: they wait for one hash of theirs at most. */
  readonly #known = new Turns(LINE);
  readonly #strangers = new Turns(LINE);
  #waiting = 0;

  /** @param guessesOf what a guess is counted for */
  constructor(database: Database, guessesOf: (asked: Asked<Account>) => Guess[] = guessesOfSignIn) {
    this.#guesses = new Guesses(database);
    this.#guessesOf = guessesOf;
  }

  async judge(asked: Asked<Account>): Promise<Judged<Account>> {
    const { password, accounts, network } = asked;
    const guesses = this.#guessesOf(asked);
    if (this.#wrong.has(guessOf(asked))) return { ...WRONG, reason: 'wrong-password', isRepeated: true };
    const isUsedUp = this.#guesses.isUsedUp(guesses);
    for (const account of accounts) {
      const { passwordHash } = account;
      // Attack: to compare with what is in memory is a guess too, and must not be one where none is left.
      if (isUsedUp || passwordHash === null || !account.isPasswordEnough) continue;
      if (this.#proven.has(placeOf(account, network), password))
        return { verdict: 'right', account, passwordHash };
    }
    const restMs = this.#guesses.restMs(guesses);
    if (restMs > 0) return { ...unheard('guesses', restMs), isRepeated: true };
    try {
      return isKnown(asked)
        ? await this.#inLine(this.#known, asked, guesses)
        : await this.#inLineOfStrangers(asked, guesses);
    } catch (error) {
      if (error === TOO_MANY || (error instanceof DOMException && error.name === 'TimeoutError'))
        return unheard('busy', BUSY_SECONDS * 1_000);
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]();
  }

  async #inLineOfStrangers(asked: Asked<Account>, guesses: readonly Guess[]): Promise<Judged<Account>> {
    // Attack: a botnet. Each of its networks has a turn, and all together have no longer a line than a client waits.
    if (this.#waiting >= MAX_WAITING) return unheard('busy', BUSY_SECONDS * 1_000);
    this.#waiting++;
    try {
      return await this.#inLine(this.#strangers, asked, guesses);
    } finally {
      this.#waiting--;
    }
  }

  #inLine(line: Turns, asked: Asked<Account>, guesses: readonly Guess[]): Promise<Judged<Account>> {
    const signal = AbortSignal.timeout(TIMINGS.waitMs);
    return line.run(widerNetwork(asked.address), signal, () => this.#hash(asked, guesses));
  }

  async #hash(asked: Asked<Account>, guesses: readonly Guess[]): Promise<Judged<Account>> {
    const restMs = this.#guesses.restMs(guesses);
    if (restMs > 0) return { ...unheard('guesses', restMs), isRepeated: true };
    // protection: guesses are counted
    const waitMs = await this.#guesses.take(guesses);
    if (waitMs > 0) return unheard('guesses', waitMs);
    const judged = await this.#compare(asked);
    if (judged.verdict === 'right') {
      await this.#guesses.giveBack(guesses);
      this.#proven.add(placeOf(judged.account, asked.network), asked.password);
    } else {
      this.#wrong.add(guessOf(asked));
    }
    return judged;
  }

  /** Where there is no account, or none with a password, a hash is made all the same. */
  async #compare(asked: Asked<Account>): Promise<Judged<Account>> {
    const { accounts, password } = asked;
    let reason: WrongReason = accounts.length === 0 ? 'nobody' : 'wrong-password';
    for (const account of accounts.length === 0 ? [null] : accounts) {
      const passwordHash = account?.passwordHash ?? null;
      const fits = await this.#thread.verify(password, passwordHash);
      if (!fits || account === null || passwordHash === null) continue;
      if (account.isPasswordEnough) return { verdict: 'right', account, passwordHash };
      reason = 'not-enough';
    }
    return { ...WRONG, reason, isRepeated: false };
  }
}

function isKnown({ name, accounts }: Asked<Candidate>): boolean {
  return name !== null && accounts.some((account) => account.isKnown);
}

function guessesOfSignIn(asked: Asked<Candidate>): Guess[] {
  const { name, address, network } = asked;
  return name !== null && isKnown(asked)
    ? [knownGuess(name, network)]
    : strangersGuesses(name, address, network);
}

const WRONG = { verdict: 'wrong' } as const;

/** What a right password is remembered by: with another hash nothing is known of it. */
function placeOf({ id, passwordHash }: Candidate, network: string): string {
  return `${network} ${id} ${passwordHash}`;
}

/** What a wrong password is remembered by: until anything about the account changes it stays wrong. From elsewhere it is another guess. */
function guessOf({ network, name, password, accounts }: Asked<Candidate>): (string | null)[] {
  const state = accounts.flatMap(({ id, passwordHash, isPasswordEnough }) => [
    id,
    passwordHash,
    String(isPasswordEnough),
  ]);
  return [network, JSON.stringify(name), password, ...state];
}

function unheard(reason: 'guesses' | 'busy', waitMs: number): Unheard {
  return {
    verdict: 'unheard',
    reason,
    afterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
    isRepeated: false,
  };
}
