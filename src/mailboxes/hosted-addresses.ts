/** Who owns the addresses of the hosted domain. Every email that is sent from there asks. */
import type { Database } from '../db/database.ts';
import { HOSTED_PROJECT_ID } from '../domains/hosted.ts';
import { LoadingCache } from '../db/loading-cache.ts';
import type { MaybePromise } from '../model/maybe-promise.ts';
import { mailboxKey } from './local-part.ts';

/** How long other projects can still send from the address of a new mailbox, and cannot from that of a deleted one. */
const TTL_MS = 2_000;
const MAX_ENTRIES = 10_000;

export class HostedAddresses {
  readonly #database: Database;
  readonly #hostedDomain: string;
  readonly #owners: LoadingCache<string | null>;

  /** @param nowMs for tests: a clock that never goes back */
  constructor(database: Database, hostedDomain: string, nowMs = () => performance.now()) {
    this.#database = database;
    this.#hostedDomain = hostedDomain;
    // Most senders are no mailbox: that answer is worth keeping as well.
    this.#owners = new LoadingCache({ ttlMs: TTL_MS, maxEntries: MAX_ENTRIES, keeps: () => true, nowMs });
  }

  /**
   * The project (uuid) whose mailbox has the address, or a tagged form of it; null when there is no such mailbox. The answer
   * comes at once when it was asked for a moment ago.
   *
   * @param localPart as `parseMailbox` gives it
   */
  ownerOf(localPart: string): MaybePromise<string | null> {
    const key = mailboxKey(localPart);
    return this.#owners.get(key, () => this.#load(key));
  }

  async #load(key: string): Promise<string | null> {
    const found = await this.#database
      .selectFrom('domains')
      .innerJoin('mailboxes', 'mailboxes.domainId', 'domains.id')
      .select('mailboxes.projectId')
      .where('domains.projectId', '=', HOSTED_PROJECT_ID)
      .where('domains.name', '=', this.#hostedDomain)
      .where('mailboxes.localPartKey', '=', key)
      .executeTakeFirst();
    return found?.projectId ?? null;
  }
}
