/**
 * The lease of a worker: one row, renewed by a heartbeat. Each row that the worker claims contains the lease id. When the lease ends, its
 * row is deleted and the claimed rows are released. From then on nothing can be written under the lease id, because every write by a worker
 * first locks the row of its lease.
 *
 *   begun --heartbeat--> alive --row gone, or no heartbeat for leaseMs--> lost
 *                          \--endLease--> ended
 *
 * A lease is closed while it is retired, and also when its process seems dead: see dead-claims.ts.
 */
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { SharedStatements, type StatementPart } from '../db/shared-statements.ts';
import { TIMINGS } from './timings.ts';

export interface LeaseOptions {
  /** The kind of rows that are claimed under the lease. Default: recipients. */
  rowKind?: 'recipients' | 'deliveries';
  /**
   * The process of the worker. Claims are released as soon as this process is known to be dead. Default: claims are released when the lease
   * expires.
   */
  processId?: string | null;
  /** True: the worker delivers to the sandbox and claims only sandbox mail. False: only real mail. Default: mail of both kinds. */
  isSandbox?: boolean | null;
  /** Statements of this process with which heartbeats share a commit. Default: heartbeats share with no other statement. */
  shared?: SharedStatements;
}

/**
 * The share of `heartbeatMs` for which a heartbeat waits for other statements: two polls of a worker, because every other poll shares with
 * the heartbeat of the process. A lease lives for several heartbeats.
 */
const PATIENCE = 0.45;
/**
 * A heartbeat is late if the previous one began longer ago than this share of `heartbeatMs`. One heartbeat may be skipped, because the one
 * before it may still wait for a lock.
 */
const LATE = 2.5;

export class Lease {
  readonly leaseId: string;
  readonly #shared: SharedStatements;
  readonly #timer: NodeJS.Timeout;
  /** The times on two clocks (`performance.now()` and `Date.now()`) before which no other worker may end this lease. */
  #leaseUntilMs: number;
  #leaseUntilWallMs: number;
  #lastBeatMs: number;
  /**
   * The start of the current series of heartbeats without a gap. After a database outage, the heartbeats of all workers have the same gap.
   */
  #unbrokenSinceMs: number;
  #lost = false;
  #closed = false;
  #isRetired = false;
  #beating = false;

  private constructor(shared: SharedStatements, leaseId: string, startedMs: number, startedWallMs: number) {
    this.#shared = shared;
    this.leaseId = leaseId;
    this.#leaseUntilMs = startedMs + TIMINGS.leaseMs;
    this.#leaseUntilWallMs = startedWallMs + TIMINGS.leaseMs;
    this.#lastBeatMs = startedMs;
    this.#unbrokenSinceMs = startedMs;
    this.#timer = setInterval(() => void this.#beat(), TIMINGS.heartbeatMs);
  }

  static async begin(
    database: Database,
    leaseId: string,
    name: string,
    {
      rowKind = 'recipients',
      processId = null,
      isSandbox = null,
      shared = new SharedStatements(database),
    }: LeaseOptions = {},
  ): Promise<Lease> {
    const startedMs = performance.now();
    const startedWallMs = Date.now();
    // Safe to repeat: an earlier attempt may have committed although its response was lost.
    await sql`
      insert into leases (lease_id, heartbeat_at, name, holds, process_id, is_sandbox)
      values (${leaseId}, now(), ${name}, ${rowKind}, ${processId}, ${isSandbox})
      on conflict (lease_id) do update set heartbeat_at = now()`.execute(database);
    return new Lease(shared, leaseId, startedMs, startedWallMs);
  }

  /**
   * Whether the lease is certainly still valid. Call `isValid` in the same tick of the event loop that makes a handover final. Otherwise a
   * process that was suspended in between would not notice that its lease has expired. Checks both clocks: the monotonic clock may stop
   * while the machine sleeps, and the wall clock may be set back.
   */
  isValid(): boolean {
    return !this.#lost && performance.now() < this.#leaseUntilMs && Date.now() < this.#leaseUntilWallMs;
  }

  /** True once the lease row is known to be deleted. The worker must begin another lease. */
  get lost(): boolean {
    return this.#lost;
  }

  /**
   * True once no row can be claimed under the lease, because its process seemed dead to another worker, or because it is retired. The
   * worker still settles its rows in flight.
   */
  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Whether this worker may end other leases because of old heartbeats. After a database outage every heartbeat is old, and the other
   * workers need `leaseMs` to renew their leases.
   */
  get mayJudge(): boolean {
    return this.isValid() && performance.now() - this.#unbrokenSinceMs >= TIMINGS.leaseMs;
  }

  /** Closes the lease with the next heartbeat: its worker claims no more rows under it, but still settles its rows in flight. */
  retire(): void {
    this.#isRetired = true;
  }

  /**
   * Stops the heartbeats, except a heartbeat that waits for other statements. It never brings a deleted row back. The lease row stays until
   * `endLease` deletes it.
   */
  stop(): void {
    clearInterval(this.#timer);
  }

  #statement(): StatementPart {
    return {
      // A statement that waited for a lock must not set the heartbeat back.
      ctes: (renewed) => sql`${renewed} as (
        update leases set heartbeat_at = greatest(heartbeat_at, now()), is_closed = is_closed or ${this.#isRetired}
        where lease_id = ${this.leaseId} returning is_closed
      )`,
      value: (renewed) => sql`(select json_build_object('isClosed', is_closed) from ${renewed})`,
      writes: 'logged',
    };
  }

  async #beat(): Promise<void> {
    if (this.#beating || this.#lost) return;
    this.#beating = true;
    const nowMs = performance.now();
    const nowWallMs = Date.now();
    try {
      const { value: row } = await this.#shared.run<{ isClosed: boolean } | null>(
        this.#statement(),
        // A heartbeat that is late must not wait any longer.
        nowMs - this.#lastBeatMs > LATE * TIMINGS.heartbeatMs ? 0 : TIMINGS.heartbeatMs * PATIENCE,
      );
      if (row === null) {
        this.#lost = true;
      } else {
        this.#closed = row.isClosed;
        if (nowMs - this.#lastBeatMs > LATE * TIMINGS.heartbeatMs) this.#unbrokenSinceMs = nowMs;
        this.#lastBeatMs = nowMs;
        this.#leaseUntilMs = nowMs + TIMINGS.leaseMs;
        this.#leaseUntilWallMs = nowWallMs + TIMINGS.leaseMs;
      }
    } catch {
      // The database is unavailable. The lease stays valid until it expires, and the next heartbeat tries again.
    } finally {
      this.#beating = false;
    }
  }
}
