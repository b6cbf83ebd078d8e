/**
 * The lease of a worker: one row, kept alive by a heartbeat. The rows that the worker holds carry the lease's id;
 * whoever ends the lease (deletes its row) takes them away, and from then on the lease id can write nothing, because
 * every write of a worker locks the row of its lease first.
 *
 *   born --heartbeat--> alive --row gone, or no heartbeat for leaseMs--> lost
 *                         \--end()--> ended
 *
 * Beside that, a lease is closed when its process seems dead: see dead-claims.ts.
 */
import { sql } from 'kysely';
import { columnsOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { TIMINGS } from './timings.ts';

export interface LeaseOptions {
  /** What is held under it. Default: recipients. */
  holds?: 'recipients' | 'deliveries';
  /** Of the presence by whose end others know that its worker is dead. Default: they wait for the lease. */
  processId?: string | null;
  /** Whether its worker delivers to the sandbox: it is given no mail of the other kind. Default: it is given both. */
  isSandbox?: boolean | null;
}

export class Lease {
  readonly leaseId: string;
  readonly #database: Database;
  readonly #timer: NodeJS.Timeout;
  /** The moments, on two clocks, before which nobody else may end this lease. */
  #leaseUntilMs: number;
  #leaseUntilWallMs: number;
  #lastBeatMs: number;
  /** Since when no heartbeat failed. While the database is away the others have the same gap. */
  #unbrokenSinceMs: number;
  #lost = false;
  #closed = false;
  #beating = false;

  private constructor(database: Database, leaseId: string, startedMs: number, startedWallMs: number) {
    this.#database = database;
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
    { holds = 'recipients', processId = null, isSandbox = null }: LeaseOptions = {},
  ): Promise<Lease> {
    const startedMs = performance.now();
    const startedWallMs = Date.now();
    // Also when an earlier try was committed and its answer lost.
    await sql`
      insert into leases (lease_id, heartbeat_at, name, holds, process_id, is_sandbox)
      values (${leaseId}, now(), ${name}, ${holds}, ${processId}, ${isSandbox})
      on conflict (lease_id) do update set heartbeat_at = now()`.execute(database);
    return new Lease(database, leaseId, startedMs, startedWallMs);
  }

  /**
   * Whether the lease certainly still holds: asked in the turn of the event loop that makes a hand-over final.
   * A process that was stopped and continued finds its time passed here. Both clocks are asked: the monotonic
   * one may stand still while the machine sleeps, the other one may be set back.
   */
  holds(): boolean {
    return !this.#lost && performance.now() < this.#leaseUntilMs && Date.now() < this.#leaseUntilWallMs;
  }

  /** True once the row is known to be gone: the lease is over and another one has to begin. */
  get lost(): boolean {
    return this.#lost;
  }

  /** True once nothing more can be claimed under it: others took its process for dead. What it has in flight it still settles. */
  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Whether this lease may judge others by their heartbeats. After the database was away every heartbeat is old,
   * and the others need the time of a lease to show that they live.
   */
  get mayJudge(): boolean {
    return this.holds() && performance.now() - this.#unbrokenSinceMs >= TIMINGS.leaseMs;
  }

  /** No more heartbeats. The row stays: what the lease still holds is left to the lease, or to `endLease`. */
  stop(): void {
    clearInterval(this.#timer);
  }

  async #beat(): Promise<void> {
    if (this.#beating || this.#lost) return;
    this.#beating = true;
    const nowMs = performance.now();
    const nowWallMs = Date.now();
    try {
      const { rows } = await columnsOf({ isClosed: 'bool' }).sql`
        update leases set heartbeat_at = now() where lease_id = ${this.leaseId} returning is_closed`.execute(
        this.#database,
      );
      const [found] = rows;
      if (found === undefined) {
        this.#lost = true;
      } else {
        this.#closed = found.isClosed;
        if (nowMs - this.#lastBeatMs > 2 * TIMINGS.heartbeatMs) this.#unbrokenSinceMs = nowMs;
        this.#lastBeatMs = nowMs;
        this.#leaseUntilMs = nowMs + TIMINGS.leaseMs;
        this.#leaseUntilWallMs = nowWallMs + TIMINGS.leaseMs;
      }
    } catch {
      // The database is away: the lease runs on until it ends, and the next heartbeat tries again.
    } finally {
      this.#beating = false;
    }
  }
}
