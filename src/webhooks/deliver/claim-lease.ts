import { hostname } from 'node:os';
import type { Database } from '../../db/database.ts';
import { newUuid } from '../../model/ids.ts';
import { within } from '../../concurrency/within.ts';
import { endLease } from '../../queue/end-lease.ts';
import { Lease } from '../../queue/lease.ts';

/** How long the end of a lease may take. After that it is left to the other workers. */
const END_GRACE_MS = 500;

/**
 * The lease that a sender claims deliveries under, one after another. It is not that of the worker's recipients: that one is
 * ended when it is in doubt, though the sender may have answers that are not written yet.
 */
export class ClaimLease {
  readonly #database: Database;
  /** Null: none was needed yet. */
  #lease: Lease | null = null;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The id of the lease, which is begun when there is none, or when it is over. */
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

  /** Nothing is written under it any more: what it holds is due again at the end of the claims. Never rejects. */
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
