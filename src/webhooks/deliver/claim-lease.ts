import { hostname } from 'node:os';
import type { Database } from '../../db/database.ts';
import { newUuid } from '../../model/ids.ts';
import { within } from '../../concurrency/within.ts';
import { endLease } from '../../queue/end-lease.ts';
import { Lease } from '../../queue/lease.ts';

/** Time limit for ending a lease. After that, other workers have to wait for its expiry. */
const END_GRACE_MS = 500;

/**
 * The leases under which a sender claims deliveries, one after another. Separate from the worker's lease for recipients, which is
 * ended when in doubt, although the sender may still have responses that are not written.
 */
export class ClaimLease {
  readonly #database: Database;
  /** Null until a lease is needed. */
  #lease: Lease | null = null;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The id of the current lease. Begins one if there is none, or if it has expired. */
  async id(): Promise<string> {
    if (this.#lease?.lost === true) {
      this.#lease.stop();
      this.#lease = null;
    }
    this.#lease ??= await Lease.begin(this.#database, newUuid(), `${hostname()}/${process.pid}`, {
      holds: 'deliveries',
    });
    return this.#lease.leaseId;
  }

  /** Ends the lease: nothing is written under it any more, and its rows are due again when their claims expire. Never rejects. */
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
