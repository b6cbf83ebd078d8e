/** Whether a password is that of an account, and whether it may be looked at at all (docs/decisions/0049-signing-in.md). */
import type { Database } from '../../db/database.ts';
import { AppError } from '../../model/app-error.ts';
import { TokenBuckets } from '../../concurrency/rate-limit.ts';
import { FairSlots } from '../../concurrency/fair-slots.ts';
import { widerNetwork } from '../../net/client-network.ts';
import { type Guess, type GuessedName, Guesses, knownGuess, strangersGuesses } from './guesses.ts';
import { HashingThread } from './hashing-thread.ts';
import { BUSY_SECONDS, MAX_WAITING, MAX_WAITING_OF_NETWORK, REPEATED_LINES } from './limits.ts';
import { guessKey, ProvenPasswords, WrongPasswords, type WrongReason } from './memory.ts';
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

export interface PasswordQuery<Account extends Candidate> {
  /** Empty: one that nobody has. */
  password: string;
  name: GuessedName | null;
  address: string;
  network: string;
  /** Those that the name may mean. */
  accounts: readonly Account[];
}

/** Whether the log has a line of it: not each time that the same was said a moment ago (`REPEATED_LINES`). */
type Logged = { isLogged: boolean };
type Unheard = { verdict: 'unheard'; reason: 'guesses' | 'busy'; afterSeconds: number } & Logged;

export type JudgedPassword<Account extends Candidate> =
  | { verdict: 'right'; account: Account; passwordHash: string }
  | ({ verdict: 'wrong'; reason: WrongReason } & Logged)
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
  readonly #guessesOf: (asked: PasswordQuery<Account>) => Guess[];
  readonly #thread = new HashingThread();
  readonly #proven = new ProvenPasswords();
  readonly #wrong = new WrongPasswords();
  /** Owners in networks that they were in before do not stand in the line of the others: they wait for one hash of theirs at most. */
  readonly #known = new FairSlots(LINE);
  readonly #strangers = new FairSlots(LINE);
  #waiting = 0;
  /** By what is guessed: those that come meanwhile with the same have the same answer. */
  readonly #underWay = new Map<string, Promise<JudgedPassword<Account>>>();
  readonly #repeatedLines = new TokenBuckets(1_000 / REPEATED_LINES.eachMs, REPEATED_LINES.burst, () =>
    performance.now(),
  );

  /** @param guessesOf what a guess is counted for */
  constructor(database: Database, guessesOf: (asked: PasswordQuery<Account>) => Guess[] = guessesOfSignIn) {
    this.#guesses = new Guesses(database);
    this.#guessesOf = guessesOf;
  }

  async judge(asked: PasswordQuery<Account>): Promise<JudgedPassword<Account>> {
    const { password, accounts, network } = asked;
    const known = accounts.filter((account) => account.isKnown);
    if (known.length > 0 && known.length < accounts.length) {
      // Attack: a mailbox of one's own with the name of another, where nobody has proved the domain. Being known to it is no way to the other.
      const judged = await this.judge({ ...asked, accounts: known });
      if (judged.verdict === 'right') return judged;
      return this.judge({ ...asked, accounts: accounts.filter((account) => !account.isKnown) });
    }
    const guesses = this.#guessesOf(asked);
    const guess = guessOf(asked);
    const reason = this.#wrong.reasonOf(guess);
    if (reason !== null) return this.#again({ verdict: 'wrong', reason }, network);
    const isUsedUp = this.#guesses.isUsedUp(guesses);
    for (const account of accounts) {
      const { passwordHash } = account;
      // Attack: to compare with what is in memory is a guess too, and must not be one where none is left.
      if (isUsedUp || passwordHash === null || !account.isPasswordEnough) continue;
      if (this.#proven.has(placeOf(account, network), password))
        return { verdict: 'right', account, passwordHash };
    }
    const restMs = this.#guesses.restMs(guesses);
    if (restMs > 0) return this.#again(unheard('guesses', restMs), network);
    // A mail app opens ten connections at once.
    const underWay = this.#underWay.get(guess);
    if (underWay !== undefined) {
      const judged = await underWay;
      return judged.verdict === 'right' ? judged : this.#again(judged, network);
    }
    const judging = this.#wait(asked, guesses).finally(() => this.#underWay.delete(guess));
    this.#underWay.set(guess, judging);
    return judging;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]();
  }

  async #wait(asked: PasswordQuery<Account>, guesses: readonly Guess[]): Promise<JudgedPassword<Account>> {
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

  /** What was said a moment ago. */
  #again<Said extends object>(said: Said, network: string): Said & Logged {
    return { ...said, isLogged: this.#repeatedLines.take(network).allowed };
  }

  async #inLineOfStrangers(
    asked: PasswordQuery<Account>,
    guesses: readonly Guess[],
  ): Promise<JudgedPassword<Account>> {
    // Attack: a botnet. Each of its networks has a turn, and all together have no longer a line than a client waits.
    if (this.#waiting >= MAX_WAITING) return unheard('busy', BUSY_SECONDS * 1_000);
    this.#waiting++;
    try {
      return await this.#inLine(this.#strangers, asked, guesses);
    } finally {
      this.#waiting--;
    }
  }

  #inLine(
    line: FairSlots,
    asked: PasswordQuery<Account>,
    guesses: readonly Guess[],
  ): Promise<JudgedPassword<Account>> {
    const signal = AbortSignal.timeout(TIMINGS.waitMs);
    return line.run(widerNetwork(asked.address), signal, () => this.#hash(asked, guesses));
  }

  async #hash(asked: PasswordQuery<Account>, guesses: readonly Guess[]): Promise<JudgedPassword<Account>> {
    const restMs = this.#guesses.restMs(guesses);
    if (restMs > 0) return this.#again(unheard('guesses', restMs), asked.network);
    // protection: guesses are counted
    const waitMs = await this.#guesses.take(guesses);
    if (waitMs > 0) return unheard('guesses', waitMs);
    const judged = await this.#compare(asked);
    if (judged.verdict === 'right') {
      await this.#guesses.giveBack(guesses);
      this.#proven.add(placeOf(judged.account, asked.network), asked.password);
    } else if (judged.verdict === 'wrong') {
      this.#wrong.add(guessOf(asked), judged.reason);
    }
    return judged;
  }

  /** Where there is no account, or none with a password, a hash is made all the same. */
  async #compare(asked: PasswordQuery<Account>): Promise<JudgedPassword<Account>> {
    const { accounts, password } = asked;
    let reason: WrongReason = accounts.length === 0 ? 'nobody' : 'wrong-password';
    for (const account of accounts.length === 0 ? [null] : accounts) {
      const passwordHash = account?.passwordHash ?? null;
      const fits = await this.#thread.verify(password, passwordHash);
      if (!fits || account === null || passwordHash === null) continue;
      if (account.isPasswordEnough) return { verdict: 'right', account, passwordHash };
      reason = 'not-enough';
    }
    return { verdict: 'wrong', reason, isLogged: true };
  }
}

function isKnown({ name, accounts }: PasswordQuery<Candidate>): boolean {
  return name !== null && accounts.some((account) => account.isKnown);
}

function guessesOfSignIn(asked: PasswordQuery<Candidate>): Guess[] {
  const { name, address, network } = asked;
  return name !== null && isKnown(asked)
    ? [knownGuess(name, network)]
    : strangersGuesses(name, address, network);
}

/** What a right password is remembered by: with another hash nothing is known of it. */
function placeOf({ id, passwordHash }: Candidate, network: string): string {
  return `${network} ${id} ${passwordHash}`;
}

/** What a wrong password is remembered by: until anything about the account changes it stays wrong. From elsewhere it is another guess. */
function guessOf({ network, name, password, accounts }: PasswordQuery<Candidate>): string {
  const state = accounts.flatMap(({ id, passwordHash, isPasswordEnough }) => [
    id,
    passwordHash,
    String(isPasswordEnough),
  ]);
  return guessKey([network, JSON.stringify(name), password, ...state]);
}

function unheard(reason: 'guesses' | 'busy', waitMs: number): Unheard {
  return {
    verdict: 'unheard',
    reason,
    afterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
    isLogged: true,
  };
}
