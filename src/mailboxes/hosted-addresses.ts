/** Finds the project that owns an address of the hosted domain. Called for every email that is sent from the hosted domain. */
import { columnsOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { HOSTED_PROJECT_ID } from '../domains/hosted.ts';
import { LoadingCache } from '../db/loading-cache.ts';
import type { MaybePromise } from '../model/maybe-promise.ts';
import { mailboxKey } from './local-part.ts';

/**
 * Cache lifetime. After an address is created, other projects can still send from it for this long, and its owner cannot yet. After an
 * address is deleted, its former owner can still send from it for this long, and other projects cannot yet.
 */
const TTL_MS = 2_000;
const MAX_ENTRIES = 10_000;

const OWNER = columnsOf({ projectId: 'uuid' });

export class HostedAddresses {
  readonly #database: Database;
  readonly #hostedDomain: string;
  readonly #owners: LoadingCache<string | null>;

  /** @param nowMs a monotonic clock, for tests */
  constructor(database: Database, hostedDomain: string, nowMs = () => performance.now()) {
    this.#database = database;
    this.#hostedDomain = hostedDomain;
    // That an address has no owner is cached too, because this is so for most sender addresses.
    this.#owners = new LoadingCache({ ttlMs: TTL_MS, maxEntries: MAX_ENTRIES, mayCache: () => true, nowMs });
  }

  /**
   * The project (uuid) with a mailbox, an alias or a route of this address, or of the address without its tag; null if no project has one.
   * Synchronous if the result is cached.
   *
   * @param localPart as `parseMailbox` returns it
   */
  ownerOf(localPart: string): MaybePromise<string | null> {
    const key = mailboxKey(localPart);
    return this.#owners.get(key, () => this.#load(key));
  }

  async #load(key: string): Promise<string | null> {
    const { rows } = await OWNER.sql`
      select a.project_id from domains d
      cross join lateral (
        select m.project_id from mailboxes m where m.domain_id = d.id and m.local_part_key = ${key}
        union all select l.project_id from aliases l where l.domain_id = d.id and l.local_part_key = ${key}
        union all select r.project_id from routes r where r.kind = 'address' and r.domain_id = d.id and r.local_part_key = ${key}
      ) a
      where d.project_id = ${HOSTED_PROJECT_ID} and d.name = ${this.#hostedDomain}`.execute(this.#database);
    return rows[0]?.projectId ?? null;
  }
}
