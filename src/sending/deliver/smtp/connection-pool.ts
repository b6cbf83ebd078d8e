import type { Outcome } from '../provider.ts';
import { SmtpAttemptReply } from './attempt-reply.ts';
import type { SmtpConnectionBudget } from './connection-budget.ts';
import { type ConnectionOptions, type ConnectionOwner, HostConnection } from './host-connection.ts';
import { type HostSession, ownFailure, type SessionFailure, type SessionResult } from './host-session.ts';
import { Transcript } from './transcript.ts';
import type { Transfer } from './transaction.ts';

export interface ConnectionPoolOptions extends Pick<ConnectionOptions, 'role' | 'timings'> {
  /** A session with whichever host serves. The signal ends it, set up or not. */
  open(signal: AbortSignal): Promise<SessionResult>;
  /** The limit of connections; 0: none but for what waits already. It is asked again and again. */
  maxConnections(): number;
  /** How many messages one connection carries. A new connection may go to another address of the host. */
  maxMessages(): number;
  /** Asked when a message is to begin. 0: it may; else it is asked again after so many milliseconds. Absent: it may. */
  waitMs?(): number;
  /** Shared with other pools. Absent: there is no other pool. */
  budget?: SmtpConnectionBudget;
  /** A session was set up. */
  onUp?(): void;
  /** No session can be set up, and there is none: the transfers that waited are settled. */
  onDown?(): void;
  /** The host is there, and wants no further connection. */
  onCrowded?(): void;
  /** A session was lost before it took any message. */
  onUseless?(session: HostSession): void;
}

/** How long a host that refused one connection too many is not asked for another. */
const GROWTH_PAUSE_MS = 10_000;
/** After so many messages it was worth it to open a connection: the only one of a pool may go too, where others have none. */
const WORTH_IT = 10;

/** The connections to one host, or to hosts that stand for each other, and the messages that wait for a place on them. */
export class ConnectionPool implements ConnectionOwner {
  readonly #options: ConnectionPoolOptions;
  readonly #connections = new Set<HostConnection>();
  readonly #attempts = new Set<AbortController>();
  #queue: Transfer[] = [];
  /** What is not done for now: opening further connections, or beginning messages. */
  readonly #paused = new Set<'growing' | 'beginning'>();
  /** Resolves when nothing is left; null until `close`. */
  #closing: PromiseWithResolvers<void> | null = null;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
  }

  /** Whether there is neither a message nor a connection. */
  get isUnused(): boolean {
    return this.#queue.length === 0 && this.#connections.size === 0 && this.#attempts.size === 0;
  }

  /** Whether there is no connection, nor will be one soon. */
  get hasNone(): boolean {
    return this.#connections.size === 0 && this.#attempts.size === 0;
  }

  /** Whose message is the first that has not begun; null: there is none. */
  get nextProjectId(): string | null {
    return this.#queue[0]?.message.projectId ?? null;
  }

  /** Messages that have not begun. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Whether there is a connection with the host. */
  isOpenWith(host: string): boolean {
    return [...this.#connections].some(({ isOpen, session }) => isOpen && session.remoteMta === host);
  }

  submit(transfer: Transfer): void {
    this.#queue.push(transfer);
    this.#distribute();
  }

  /** The limit of connections has changed: those beyond it end when they are done. */
  adapt(): void {
    for (const connection of this.#connections) connection.takeWork();
    this.#distribute();
  }

  next(connection: HostConnection): Transfer | undefined {
    const limit = this.#limit;
    if (
      this.#connections.size > limit &&
      [...this.#connections].filter(({ takesMore }) => takesMore).length > limit
    ) {
      // The bound has come down since the connection was opened.
      connection.retire();
      return undefined;
    }
    if (this.#queue.length === 0) {
      const { budget } = this.#options;
      budget?.leave(this);
      if (budget?.isShort === true) connection.retire();
      return undefined;
    }
    const mayLeave = this.#connections.size > 1 || connection.accepted >= WORTH_IT;
    if (mayLeave && this.#options.budget?.shouldLeave(connection) === true) {
      connection.retire();
      return undefined;
    }
    const waitMs = this.#options.waitMs?.() ?? 0;
    if (waitMs > 0) {
      this.#pause('beginning', waitMs);
      return undefined;
    }
    return this.#queue.shift();
  }

  giveBack(transfer: Transfer): void {
    this.#queue.unshift(transfer);
    this.#distribute();
  }

  gone(connection: HostConnection, wasLost: boolean): void {
    this.#connections.delete(connection);
    if (wasLost && connection.accepted === 0) this.#options.onUseless?.(connection.session);
    this.#options.budget?.giveBack(connection);
    this.#checkEmpty();
    this.#distribute();
  }

  /** Idle connections quit; what is in flight has `graceMs` to end. Transfers that wait are settled at once. */
  close(): Promise<void> {
    if (this.#closing !== null) return this.#closing.promise;
    this.#closing = Promise.withResolvers();
    this.#distribute();
    for (const attempt of this.#attempts) attempt.abort();
    for (const connection of this.#connections) connection.retire();
    this.#checkEmpty();
    const timer = setTimeout(() => {
      for (const connection of Array.from(this.#connections)) connection.destroy('the service is stopping');
      // An answer of DNS may still come; it is not needed any more.
      this.#closing?.resolve();
    }, this.#options.timings.graceMs);
    return this.#closing.promise.finally(() => clearTimeout(timer));
  }

  /** Opens connections when messages wait for one and more are allowed. */
  grow(): void {
    if (this.#paused.has('beginning')) return;
    const { budget } = this.#options;
    if (this.#isUp && this.#paused.has('growing')) return;
    // A host that is not known to answer is tried with one connection, not with all at once. One that waits for the reply to
    // its QUIT is still a connection to the host.
    const free = Math.min(this.#limit - this.#connections.size, this.#isUp ? Number.POSITIVE_INFINITY : 1);
    const limit = Math.min(this.#queue.length, free);
    while (this.#attempts.size < limit && budget?.take(this) !== false) void this.#connect();
  }

  #distribute(): void {
    if (this.#closing !== null)
      return this.#settleQueue(ownFailure('The service is stopping', new Transcript()));
    for (const connection of this.#connections) {
      if (this.#queue.length === 0) return;
      if (connection.isIdle) connection.takeWork();
    }
    this.grow();
    // A place behind a message that still waits for its reply is better than none.
    for (const connection of this.#connections) {
      if (this.#queue.length === 0) return;
      connection.takeWork();
    }
  }

  async #connect(): Promise<void> {
    const attempt = new AbortController();
    this.#attempts.add(attempt);
    const result = await this.#options.open(attempt.signal);
    this.#attempts.delete(attempt);
    if ('session' in result) {
      this.#adopt(result.session);
    } else {
      this.#options.budget?.giveBack(null);
      this.#onFailure(result.failure);
    }
    this.#checkEmpty();
  }

  #adopt(session: HostSession): void {
    const { role, timings, maxMessages, budget, onUp } = this.#options;
    const connection = new HostConnection(session, { role, timings, maxMessages: maxMessages() }, this);
    this.#connections.add(connection);
    budget?.use(connection);
    onUp?.();
    if (this.#closing !== null) return connection.retire();
    // Also when nothing waits any more: another pool may need its place.
    connection.takeWork();
    this.#distribute();
  }

  #onFailure(failure: SessionFailure): void {
    if (this.#isUp) {
      // The host is there: it only wants no further connection.
      this.#options.onCrowded?.();
      this.#pause('growing', GROWTH_PAUSE_MS);
    } else if (this.#attempts.size === 0 && this.#closing === null) {
      this.#options.onDown?.();
      this.#settleQueue(failure);
    }
  }

  #pause(what: 'growing' | 'beginning', forMs: number): void {
    if (this.#paused.has(what)) return;
    this.#paused.add(what);
    setTimeout(() => {
      this.#paused.delete(what);
      this.#distribute();
    }, forMs).unref();
  }

  #settleQueue(failure: SessionFailure): void {
    const transfers = this.#queue;
    this.#queue = [];
    this.#options.budget?.leave(this);
    for (const transfer of transfers) {
      transfer.transcript.append(failure.transcript);
      transfer.settle(outcomeOf(failure, transfer));
    }
  }

  /** What was taken while there was a place still goes: over one connection. */
  get #limit(): number {
    return Math.max(this.#options.maxConnections(), this.#queue.length > 0 ? 1 : 0);
  }

  get #isUp(): boolean {
    return [...this.#connections].some(({ isOpen }) => isOpen);
  }

  #checkEmpty(): void {
    if (this.#connections.size === 0 && this.#attempts.size === 0) this.#closing?.resolve();
  }
}

function outcomeOf(failure: SessionFailure, { transcript }: Transfer): Outcome {
  const reply = new SmtpAttemptReply(failure.said, failure, transcript);
  return failure.unroutable === undefined
    ? { outcome: 'transient', reply, scope: 'host' }
    : { outcome: 'unroutable', reason: failure.unroutable, reply, bestHosts: failure.bestHosts };
}
