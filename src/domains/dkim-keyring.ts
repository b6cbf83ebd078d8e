/** The keys that sign mail: loaded, opened and parsed once, then cached. */
import type { Database } from '../db/database.ts';
import type { Sealer } from '../db/seal.ts';
import type { SigningKey } from '../rfc/dkim/sign.ts';
import { openPrivateKey } from './dkim-key.ts';
import { HOSTED_PROJECT_ID } from './hosted.ts';
import { maySend, type SendingDomainsOptions } from './sending-domains.ts';
import { LoadingCache } from '../db/loading-cache.ts';
import type { MaybePromise } from '../model/maybe-promise.ts';

/** Cache lifetime. A new key may stay unused for this long, and a removed domain's key may still sign for this long. */
const TTL_MS = 2_000;
const MAX_ENTRIES = 1_000;

export interface KeyringOptions extends SendingDomainsOptions {
  /**
   * Whether the keys of the hosted domain also sign mail from domains that the project may not send from. Only for `posthorn dev`, which catches mail from
   * any sender and sends none. Default: false.
   */
  signsForAnyDomain?: boolean;
}

export class DkimKeyring {
  readonly #database: Database;
  readonly #signsForAnyDomain: boolean;
  readonly #sealer: Sealer;
  readonly #hostedDomain: string;
  readonly #trustsManualVerification: boolean;
  readonly #keys: LoadingCache<readonly SigningKey[]>;

  constructor(
    database: Database,
    sealer: Sealer,
    hostedDomain: string,
    {
      trustsManualVerification = false,
      signsForAnyDomain = false,
      nowMs = () => performance.now(),
    }: KeyringOptions = {},
  ) {
    this.#database = database;
    this.#signsForAnyDomain = signsForAnyDomain;
    this.#sealer = sealer;
    this.#hostedDomain = hostedDomain;
    this.#trustsManualVerification = trustsManualVerification;
    this.#keys = new LoadingCache({
      ttlMs: TTL_MS,
      maxEntries: MAX_ENTRIES,
      mayCache: (keys) => keys.length > 0,
      nowMs,
    });
  }

  /**
   * The keys of the project's own domain or of the hosted domain, RSA first. Empty if the project may not send from the domain now, in
   * which case the caller must not send mail from the domain. Synchronous if the keys are cached.
   *
   * @param domain A-labels, lower case
   * @throws Error if a key was sealed with another secret or was changed
   */
  keysFor(projectId: string, domain: string): MaybePromise<readonly SigningKey[]> {
    const owner = domain === this.#hostedDomain ? HOSTED_PROJECT_ID : projectId;
    return this.#keys.get(`${owner} ${domain}`, () => this.#load(owner, domain));
  }

  async #load(projectId: string, domain: string): Promise<SigningKey[]> {
    const rows = await this.#database
      .selectFrom('dkimKeys')
      .innerJoin('domains', (join) =>
        join
          .onRef('domains.projectId', '=', 'dkimKeys.projectId')
          .onRef('domains.id', '=', 'dkimKeys.domainId'),
      )
      .select(['dkimKeys.projectId', 'domainId', 'selector', 'algorithm', 'privateKeySealed'])
      // Earlier hosted domains are included, because their mail may still be queued and their records may still be in DNS.
      .where('domains.projectId', 'in', [projectId, HOSTED_PROJECT_ID])
      .where('domains.name', '=', domain)
      // No project signs with the keys of the installation's own mail.
      .$if(projectId !== HOSTED_PROJECT_ID, (query) =>
        query.where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('serviceDomains')
                .select('serviceDomains.domainId')
                .whereRef('serviceDomains.projectId', '=', 'domains.projectId')
                .whereRef('serviceDomains.domainId', '=', 'domains.id'),
            ),
          ),
        ),
      )
      // The record of a `next` key may not be published yet, and the record of a `retiring` key may already be removed.
      .where('dkimKeys.state', '=', 'active')
      .where(maySend(this.#trustsManualVerification))
      // RSA first: a verifier that supports only RSA may check only the first signature.
      .orderBy('algorithm', 'desc')
      .orderBy('selector')
      .execute();
    if (rows.length === 0 && this.#signsForAnyDomain && domain !== this.#hostedDomain)
      return this.#load(HOSTED_PROJECT_ID, this.#hostedDomain);
    return rows.map((row) => ({
      domain,
      selector: row.selector,
      algorithm: row.algorithm,
      privateKey: openPrivateKey(this.#sealer, row),
    }));
  }
}
