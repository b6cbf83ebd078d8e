import { hostname } from 'node:os';
import type { Database } from '../../db/database.ts';
import type { SharedStatements } from '../../db/shared-statements.ts';
import { newUuid } from '../../model/ids.ts';
import { within } from '../../concurrency/within.ts';
import { endLease } from '../../queue/end-lease.ts';
import { Lease } from '../../queue/lease.ts';

/** The time limit for ending a lease. If the lease is not ended in time, other workers have to wait until the lease expires. */
const END_GRACE_MS = 500;

/**
 * The leases under which a sender claims deliveries, one lease at a time. They are separate from the worker's lease for recipients. The
 * worker ends its own lease when the lease is in doubt, even if the sender still has unwritten responses.
 */
export class ClaimLease {
  readonly #database: Database;
  readonly #shared: SharedStatements | undefined;
  /** Null until a lease is needed. */
  #lease: Lease | null = null;

  /** @param shared see `LeaseOptions` */
  constructor(database: Database, shared?: SharedStatements) {
    this.#database = database;
    this.#shared = shared;
  }

  /** The ID of the current lease. Begins a lease if no lease is current, or if the current lease has expired. */
  async id(): Promise<string> {
    if (this.#lease?.lost === true) {
      this.#lease.stop();
      this.#lease = null;
    }
    this.#lease ??= await Lease.begin(this.#database, newUuid(), `${hostname()}/${process.pid}`, {
      rowKind: 'deliveries',
      ...(this.#shared && { shared: this.#shared }),
    });
    return this.#lease.leaseId;
  }

  /**
   * Ends the lease. Nothing is written under the lease from then on, and its rows are due again when their claims expire. Never rejects.
   */
  async end(): Promise<void> {
    if (this.#lease === null) return;
    this.#lease.stop();
    const ended = endLease(this.#database, this.#lease.leaseId, 'retired', async () => {});
    await within(
      END_GRACE_MS,
      ended.catch(() => {}),
      undefined,
    );
  }
}
