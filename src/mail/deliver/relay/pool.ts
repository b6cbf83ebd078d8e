import type { AttemptReply, Outcome } from '../provider.ts';
import { ownWords } from './attempt-reply.ts';
import { Connection, type ConnectionOwner } from './connection.ts';
import { openSession, type Session } from './session.ts';
import type { SessionOptions, SmartHostAddress } from './smart-host.ts';
import type { Job } from './transaction.ts';

export interface PoolOptions extends SessionOptions {
  maxConnections: number;
  /** After so many messages a connection is ended, so that the load finds its way to a host's new addresses. */
  maxMessages: number;
  /** A session was set up. */
  onUp(): void;
  /** No session can be set up, and there is none: the jobs that waited are settled. */
  onDown(): void;
}

/** How long a host that refused one connection too many is not asked for another. */
const GROWTH_PAUSE_MS = 10_000;

/** The connections to one host and the messages that wait for a place on them. */
export class Pool implements ConnectionOwner {
  readonly #address: SmartHostAddress;
  readonly #options: PoolOptions;
  readonly #connections = new Set<Connection>();
  readonly #attempts = new Set<AbortController>();
  #queue: Job[] = [];
  #mayGrow = true;
  #closing: Promise<void> | null = null;
  #onEmpty: (() => void) | null = null;

  constructor(address: SmartHostAddress, options: PoolOptions) {
    this.#address = address;
    this.#options = options;
  }

  submit(job: Job): void {
    this.#queue.push(job);
    this.#distribute();
  }

  next(): Job | undefined {
    return this.#queue.shift();
  }

  giveBack(job: Job): void {
    this.#queue.unshift(job);
    this.#distribute();
  }

  gone(connection: Connection): void {
    this.#connections.delete(connection);
    this.#checkEmpty();
    this.#distribute();
  }

  /** Idle connections quit; what is in flight has `graceMs` to end. Jobs that wait are settled at once. */
  close(): Promise<void> {
    this.#closing ??= new Promise((resolve) => {
      const timer = setTimeout(() => {
        for (const connection of [...this.#connections]) connection.destroy('the relay is closing');
      }, this.#options.timings.graceMs);
      this.#onEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#distribute();
    for (const attempt of this.#attempts) attempt.abort();
    for (const connection of this.#connections) connection.retire();
    this.#checkEmpty();
    return this.#closing;
  }

  #distribute(): void {
    if (this.#closing !== null) {
      this.#settleQueue(ownWords('The relay is closing', { remoteMta: this.#address.host, tls: false }));
      return;
    }
    for (const connection of this.#connections) {
      if (this.#queue.length === 0) return;
      if (connection.isIdle) connection.takeWork();
    }
    this.#grow();
    // A place behind a message whose reply is still out is better than none.
    for (const connection of this.#connections) {
      if (this.#queue.length === 0) return;
      connection.takeWork();
    }
  }

  #grow(): void {
    const open = this.#countOpen();
    if (open > 0 && !this.#mayGrow) return;
    // A host that is not known to answer is asked by one connection, not by all at once.
    const room = open === 0 ? 1 : this.#options.maxConnections - this.#connections.size;
    const limit = Math.min(this.#queue.length, room);
    while (this.#attempts.size < limit) void this.#connect();
  }

  async #connect(): Promise<void> {
    const attempt = new AbortController();
    this.#attempts.add(attempt);
    const result = await openSession(this.#address, this.#options, attempt.signal);
    this.#attempts.delete(attempt);
    if ('session' in result) this.#adopt(result.session);
    else this.#onFailure(result.failure);
    this.#checkEmpty();
  }

  #adopt(session: Session): void {
    const { maxMessages, timings } = this.#options;
    const connection = new Connection(session, maxMessages, timings, this);
    this.#connections.add(connection);
    this.#options.onUp();
    if (this.#closing !== null) connection.retire();
    else this.#distribute();
  }

  #onFailure(failure: AttemptReply): void {
    if (this.#countOpen() > 0) {
      // The host is there: it only wants no further connection.
      this.#pauseGrowth();
    } else if (this.#attempts.size === 0 && this.#closing === null) {
      this.#options.onDown();
      this.#settleQueue(failure);
    }
  }

  #pauseGrowth(): void {
    if (!this.#mayGrow) return;
    this.#mayGrow = false;
    setTimeout(() => {
      this.#mayGrow = true;
      this.#distribute();
    }, GROWTH_PAUSE_MS).unref();
  }

  #settleQueue(reply: AttemptReply): void {
    const outcome: Outcome = { outcome: 'transient', reply, scope: 'host' };
    const jobs = this.#queue;
    this.#queue = [];
    for (const job of jobs) job.settle(job.message.rcptTo.map(() => outcome));
  }

  #countOpen(): number {
    let open = 0;
    for (const connection of this.#connections) if (connection.isOpen) open += 1;
    return open;
  }

  #checkEmpty(): void {
    if (this.#connections.size === 0 && this.#attempts.size === 0) this.#onEmpty?.();
  }
}
