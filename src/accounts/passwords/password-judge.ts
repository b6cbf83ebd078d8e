/** Checks passwords and decides whether a password may be checked at all (docs/decisions/0049-signing-in.md). */
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

/** A mailbox or a user to which the entered name may belong. */
export interface Candidate {
  /** uuid */
  id: string;
  passwordHash: string | null;
  /** False if the account has a second factor and the protocol cannot request it. Mail apps then need app passwords. */
  isPasswordEnough: boolean;
  /** Whether the owner has signed in from this network. */
  isKnown: boolean;
}

export interface PasswordQuery<Account extends Candidate> {
  /** The entered password. An empty text does not match the password of any account. */
  password: string;
  name: GuessedName | null;
  address: string;
  network: string;
  /** The accounts to which the name may belong. */
  accounts: readonly Account[];
  /** See `HashingTask`. Used for a name without an account, and for an account without a password. */
  standIn?: string | null;
}

/** Whether to log the attempt. Repeated attempts are logged at most at the rate `REPEATED_LINES`. */
type Logged = { isLogged: boolean };
type NotJudged = { verdict: 'not-checked'; reason: 'guesses' | 'busy'; afterSeconds: number } & Logged;

export type JudgedPassword<Account extends Candidate> =
  | { verdict: 'right'; account: Account; passwordHash: string }
  | ({ verdict: 'wrong'; reason: WrongReason } & Logged)
  | NotJudged;

const TOO_MANY = new AppError(
  'unavailable',
  'Too many passwords from this network are waiting to be checked. Try again in a few seconds.',
  {
    retryAfterSeconds: BUSY_SECONDS,
  },
);
const LINE = {
  slots: 1,
  slotsPerOwner: 1,
  maxWaitingPerOwner: MAX_WAITING_OF_NETWORK,
  makeError: () => TOO_MANY,
};

export class PasswordJudge<Account extends Candidate> implements AsyncDisposable {
  readonly #guesses: Guesses;
  readonly #guessesOf: (query: PasswordQuery<Account>) => Guess[];
  readonly #thread = new HashingThread();
  readonly #proven = new ProvenPasswords();
  readonly #wrong = new WrongPasswords();
  /**
   * Known networks have a separate queue, so an owner on a known network waits for at most one hash of a password from an unknown network.
   */
  readonly #known = new FairSlots(LINE);
  readonly #strangers = new FairSlots(LINE);
  #waiting = 0;
  /** Checks in progress, by guess. Concurrent attempts with the same guess share one result. */
  readonly #underWay = new Map<string, Promise<JudgedPassword<Account>>>();
  readonly #repeatedLines = new TokenBuckets(1_000 / REPEATED_LINES.eachMs, REPEATED_LINES.burst, () =>
    performance.now(),
  );

  /** @param guessesOf returns the counters for an attempt */
  constructor(database: Database, guessesOf: (query: PasswordQuery<Account>) => Guess[] = guessesOfSignIn) {
    this.#guesses = new Guesses(database);
    this.#guessesOf = guessesOf;
  }

  async judge(query: PasswordQuery<Account>): Promise<JudgedPassword<Account>> {
    const { password, accounts, network } = query;
    const known = accounts.filter((account) => account.isKnown);
    if (known.length > 0 && known.length < accounts.length) {
      // Attack: on an unverified domain, an attacker creates a mailbox with the name of an existing mailbox and signs in to the new
      // mailbox. The attacker's network is then known for the new mailbox and must not count as known for the existing mailbox.
      const judged = await this.judge({ ...query, accounts: known });
      if (judged.verdict === 'right') return judged;
      return this.judge({ ...query, accounts: accounts.filter((account) => !account.isKnown) });
    }
    const guesses = this.#guessesOf(query);
    const guess = guessOf(query);
    const reason = this.#wrong.reasonOf(guess);
    if (reason !== null) return this.#withLogDecision({ verdict: 'wrong', reason }, network);
    const isExhausted = this.#guesses.isExhausted(guesses);
    for (const account of accounts) {
      const { passwordHash } = account;
      // Attack: a comparison with a cached password is a guess too and must not be possible when no guess is left.
      if (isExhausted || passwordHash === null || !account.isPasswordEnough) continue;
      if (this.#proven.has(provenKeyOf(account, network), password))
        return { verdict: 'right', account, passwordHash };
    }
    const remainingMs = this.#guesses.remainingWaitMs(guesses);
    if (remainingMs > 0) return this.#withLogDecision(notJudged('guesses', remainingMs), network);
    // A mail app may open ten connections at once. All ten share one check.
    const underWay = this.#underWay.get(guess);
    if (underWay !== undefined) {
      const judged = await underWay;
      return judged.verdict === 'right' ? judged : this.#withLogDecision(judged, network);
    }
    const judging = this.#wait(query, guesses).finally(() => this.#underWay.delete(guess));
    this.#underWay.set(guess, judging);
    return judging;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]();
  }

  async #wait(query: PasswordQuery<Account>, guesses: readonly Guess[]): Promise<JudgedPassword<Account>> {
    try {
      return isKnown(query)
        ? await this.#inLine(this.#known, query, guesses)
        : await this.#inLineOfStrangers(query, guesses);
    } catch (error) {
      if (error === TOO_MANY || (error instanceof DOMException && error.name === 'TimeoutError'))
        return notJudged('busy', BUSY_SECONDS * 1_000);
      throw error;
    }
  }

  /** Decides whether a repeated attempt, whose result comes from memory, is logged. */
  #withLogDecision<Verdict extends object>(verdict: Verdict, network: string): Verdict & Logged {
    return { ...verdict, isLogged: this.#repeatedLines.take(network).allowed };
  }

  async #inLineOfStrangers(
    query: PasswordQuery<Account>,
    guesses: readonly Guess[],
  ): Promise<JudgedPassword<Account>> {
    // Attack: a botnet. Networks are served round-robin, and the length of the whole queue is limited, so that clients do not time out.
    if (this.#waiting >= MAX_WAITING) return notJudged('busy', BUSY_SECONDS * 1_000);
    this.#waiting++;
    try {
      return await this.#inLine(this.#strangers, query, guesses);
    } finally {
      this.#waiting--;
    }
  }

  #inLine(
    line: FairSlots,
    query: PasswordQuery<Account>,
    guesses: readonly Guess[],
  ): Promise<JudgedPassword<Account>> {
    const signal = AbortSignal.timeout(TIMINGS.waitMs);
    return line.run(widerNetwork(query.address), signal, () => this.#hash(query, guesses));
  }

  async #hash(query: PasswordQuery<Account>, guesses: readonly Guess[]): Promise<JudgedPassword<Account>> {
    const remainingMs = this.#guesses.remainingWaitMs(guesses);
    if (remainingMs > 0) return this.#withLogDecision(notJudged('guesses', remainingMs), query.network);
    // protection: guesses are counted
    const waitMs = await this.#guesses.take(guesses);
    if (waitMs > 0) return notJudged('guesses', waitMs);
    const judged = await this.#compare(query);
    if (judged.verdict === 'right') {
      await this.#guesses.refund(guesses);
      this.#proven.add(provenKeyOf(judged.account, query.network), query.password);
    } else if (judged.verdict === 'wrong') {
      this.#wrong.add(guessOf(query), judged.reason);
    }
    return judged;
  }

  /** Computes a hash even without an account or a password, so that the time does not reveal whether the account exists. */
  async #compare(query: PasswordQuery<Account>): Promise<JudgedPassword<Account>> {
    const { accounts, password, standIn = null } = query;
    let reason: WrongReason = accounts.length === 0 ? 'no-account' : 'wrong-password';
    for (const account of accounts.length === 0 ? [null] : accounts) {
      const passwordHash = account?.passwordHash ?? null;
      const isMatch = await this.#thread.verify(password, passwordHash, standIn);
      if (!isMatch || account === null || passwordHash === null) continue;
      if (account.isPasswordEnough) return { verdict: 'right', account, passwordHash };
      reason = 'not-enough';
    }
    return { verdict: 'wrong', reason, isLogged: true };
  }
}

function isKnown({ name, accounts }: PasswordQuery<Candidate>): boolean {
  return name !== null && accounts.some((account) => account.isKnown);
}

function guessesOfSignIn(query: PasswordQuery<Candidate>): Guess[] {
  const { name, address, network } = query;
  return name !== null && isKnown(query)
    ? [knownGuess(name, network)]
    : strangersGuesses(name, address, network);
}

/** The cache key of a right password. The key contains the hash, so the entry is not found after the password has changed. */
function provenKeyOf({ id, passwordHash }: Candidate, network: string): string {
  return `${network} ${id} ${passwordHash}`;
}

/**
 * The cache key of a wrong password, which stays wrong until the account changes. The key contains the network, so networks do not share
 * entries.
 */
function guessOf({ network, name, password, accounts }: PasswordQuery<Candidate>): string {
  const state = accounts.flatMap(({ id, passwordHash, isPasswordEnough }) => [
    id,
    passwordHash,
    String(isPasswordEnough),
  ]);
  return guessKey([network, JSON.stringify(name), password, ...state]);
}

function notJudged(reason: 'guesses' | 'busy', waitMs: number): NotJudged {
  return {
    verdict: 'not-checked',
    reason,
    afterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
    isLogged: true,
  };
}
