import type { Outcome } from '../provider.ts';
import { SmtpAttemptReply } from './attempt-reply.ts';
import type { SmtpConnectionBudget } from './connection-budget.ts';
import { type ConnectionOptions, type ConnectionOwner, HostConnection } from './host-connection.ts';
import { type HostSession, ownFailure, type SessionFailure, type SessionResult } from './host-session.ts';
import { Transcript } from './transcript.ts';
import type { Transfer } from './transaction.ts';

export interface ConnectionPoolOptions extends Pick<ConnectionOptions, 'role' | 'timings'> {
  /** Opens a session with any suitable host. The signal ends the session, during or after its set-up. */
  open(signal: AbortSignal): Promise<SessionResult>;
  /** The limit on connections. 0 allows a single connection, for messages that are already waiting. Called repeatedly. */
  maxConnections(): number;
  /** The maximum number of messages per connection. The next connection may use another address of the host. */
  maxMessages(): number;
  /**
   * Called before a message begins. 0: the message may begin. Otherwise the milliseconds until the next call. Absent: messages may always
   * begin.
   */
  waitMs?(): number;
  /** A budget shared with other pools. Absent: the pool shares no budget. */
  budget?: SmtpConnectionBudget;
  /** Called after a session was set up. */
  onUp?(): void;
  /** Called when no session exists and none can be set up. The waiting transfers are then settled. */
  onDown?(): void;
  /** Called when the host is reachable but accepts no further connection. */
  onCrowded?(): void;
  /** Called when a session was lost before it accepted a message. */
  onUseless?(session: HostSession): void;
}

/** The time for which no further connection is tried after the host has rejected one. */
const GROWTH_PAUSE_MS = 10_000;
/**
 * After this many messages, it was worth setting up a connection. So even the only connection of a pool may then end, to make way for a
 * pool without connections.
 */
const MIN_MESSAGES_BEFORE_RELEASE = 10;

/** The connections to one host or to equivalent hosts, and the messages that wait for a connection. */
export class ConnectionPool implements ConnectionOwner {
  readonly #options: ConnectionPoolOptions;
  readonly #connections = new Set<HostConnection>();
  readonly #attempts = new Set<AbortController>();
  #queue: Transfer[] = [];
  /** Paused actions: opening further connections (`growing`), or beginning messages (`beginning`). */
  readonly #paused = new Set<'growing' | 'beginning'>();
  /** Resolves when no connection is left. Null until `close` is called. */
  #closing: PromiseWithResolvers<void> | null = null;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
  }

  /** Whether the pool has neither messages nor connections. */
  get isUnused(): boolean {
    return this.#queue.length === 0 && this.#connections.size === 0 && this.#attempts.size === 0;
  }

  /** Whether the pool has no connection and none is being opened. */
  get hasNone(): boolean {
    return this.#connections.size === 0 && this.#attempts.size === 0;
  }

  /** The project of the first message that has not begun. Null if there is no such message. */
  get nextProjectId(): string | null {
    return this.#queue[0]?.message.projectId ?? null;
  }

  /** The number of messages that have not begun. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Whether there is a connection to the host. */
  isOpenWith(host: string): boolean {
    return [...this.#connections].some(({ isOpen, session }) => isOpen && session.remoteMta === host);
  }

  submit(transfer: Transfer): void {
    this.#queue.push(transfer);
    this.#distribute();
  }

  /** Called after the limit on connections has changed. Excess connections end when their messages are settled. */
  adapt(): void {
    for (const connection of this.#connections) connection.takeWork();
    this.#distribute();
  }

  next(connection: HostConnection): Transfer | undefined {
    const limit = this.#limit;
    if (
      this.#connections.size > limit &&
      [...this.#connections].filter(({ hasCapacity }) => hasCapacity).length > limit
    ) {
      // The limit was reduced after the connection was opened.
      connection.retire();
      return undefined;
    }
    if (this.#queue.length === 0) {
      const { budget } = this.#options;
      budget?.leave(this);
      if (budget?.isShort === true) connection.retire();
      return undefined;
    }
    const mayLeave = this.#connections.size > 1 || connection.accepted >= MIN_MESSAGES_BEFORE_RELEASE;
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

  requeue(transfer: Transfer): void {
    this.#queue.unshift(transfer);
    this.#distribute();
  }

  closed(connection: HostConnection, wasLost: boolean): void {
    this.#connections.delete(connection);
    if (wasLost && connection.accepted === 0) this.#options.onUseless?.(connection.session);
    this.#options.budget?.release(connection);
    this.#checkEmpty();
    this.#distribute();
  }

  /**
   * Closes the pool. Idle connections send QUIT, messages in flight have `graceMs` to finish, and waiting transfers are settled at once.
   */
  close(): Promise<void> {
    if (this.#closing !== null) return this.#closing.promise;
    this.#closing = Promise.withResolvers();
    this.#distribute();
    for (const attempt of this.#attempts) attempt.abort();
    for (const connection of this.#connections) connection.retire();
    this.#checkEmpty();
    const timer = setTimeout(() => {
      for (const connection of Array.from(this.#connections)) connection.destroy('the service is stopping');
      // A DNS query may still be pending, but its response is no longer needed.
      this.#closing?.resolve();
    }, this.#options.timings.graceMs);
    return this.#closing.promise.finally(() => clearTimeout(timer));
  }

  /** Opens connections if messages wait for a connection and more connections are allowed. */
  grow(): void {
    if (this.#paused.has('beginning')) return;
    const { budget } = this.#options;
    if (this.#isUp && this.#paused.has('growing')) return;
    // A host that has not replied yet is tried with a single connection. A connection that waits for the reply to its QUIT counts towards
    // the limit.
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
    // No connection is idle any more. A connection that still waits for the reply to its previous message can already take the next one.
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
      this.#options.budget?.release(null);
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
    // Called even if no message is waiting, because another pool may need the connection.
    connection.takeWork();
    this.#distribute();
  }

  #onFailure(failure: SessionFailure): void {
    if (this.#isUp) {
      // The host is reachable, but accepts no further connection.
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

  /** The limit on connections. Messages accepted while the limit was above 0 are still sent, over one connection. */
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
  const reply = new SmtpAttemptReply(failure.reply, failure, transcript);
  return failure.unroutable === undefined
    ? { outcome: 'transient', reply, scope: 'host' }
    : { outcome: 'unroutable', reason: failure.unroutable, reply, bestHosts: failure.bestHosts };
}
