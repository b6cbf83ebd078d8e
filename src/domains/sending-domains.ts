/** Decides which domains a project may send from. Called for every accepted email. */
import { type RawBuilder, sql } from 'kysely';
import { differences, recordChange } from '../accounts/audit.ts';
import { rowIs } from '../db/row-is.ts';
import type { Database } from '../db/database.ts';
import { LoadingCache } from '../db/loading-cache.ts';
import { AppError } from '../model/app-error.ts';
import { encodeId } from '../model/ids.ts';
import { WARNING_MS } from './claim-state.ts';
import type { MaybePromise } from '../model/maybe-promise.ts';

/**
 * Cache lifetime. A domain that was removed or is no longer verified can still send for this long. Changes to settings also take effect
 * within this time.
 */
export const SENDING_DOMAIN_TTL_MS = 2_000;
const MAX_ENTRIES = 10_000;

/** The tracking settings of one of a project's domains. */
export interface DomainTracking {
  /** Whether opens are tracked. Null, here and in `trackClicks`, means that the project's setting applies. */
  trackOpens: boolean | null;
  trackClicks: boolean | null;
}

export interface SendingDomain extends DomainTracking {
  allowed: boolean;
  isHosted: boolean;
}

const AS_PROJECT = { trackOpens: null, trackClicks: null };
const HOSTED: SendingDomain = { allowed: true, isHosted: true, ...AS_PROJECT };
const REFUSED: SendingDomain = { allowed: false, isHosted: false, ...AS_PROJECT };

const IN_DNS = sql<boolean>`
  (domains.status = 'verified'
   or domains.status = 'warning' and domains.warning_since > now() - ${sql.lit(WARNING_MS)} * interval '1 millisecond')`;
const IN_DNS_OR_BY_HAND = sql<boolean>`
  (${IN_DNS} or exists (
     select from domains_verified_by_hand h where h.project_id = domains.project_id and h.domain_id = domains.id))`;

/**
 * SQL that is true if a claim (a row of `domains`) may send. The condition is checked when an email is accepted, and again at each attempt.
 * @param trustsManualVerification whether claims that were verified by hand count as verified. False in production
 */
export function maySend(trustsManualVerification: boolean): RawBuilder<boolean> {
  return trustsManualVerification ? IN_DNS_OR_BY_HAND : IN_DNS;
}

/**
 * Whether claims that were verified by hand count as verified. False in production, even if the database was copied from a development
 * installation.
 */
export function trustsManualVerification({
  environment,
}: {
  environment: 'development' | 'production';
}): boolean {
  return environment !== 'production';
}

export interface SendingDomainsOptions {
  /** See `maySend`. Default: false. */
  trustsManualVerification?: boolean;
  /** A monotonic clock, for tests. */
  nowMs?(): number;
}

export class SendingDomains {
  readonly #database: Database;
  readonly #trustsManualVerification: boolean;
  readonly hostedDomain: string;
  readonly #own: LoadingCache<SendingDomain>;

  constructor(
    database: Database,
    hostedDomain: string,
    { trustsManualVerification = false, nowMs = () => performance.now() }: SendingDomainsOptions = {},
  ) {
    this.#database = database;
    this.#trustsManualVerification = trustsManualVerification;
    this.hostedDomain = hostedDomain;
    this.#own = new LoadingCache({
      ttlMs: SENDING_DOMAIN_TTL_MS,
      maxEntries: MAX_ENTRIES,
      // A refusal is not cached, so that a domain can send as soon as it is verified.
      mayCache: ({ allowed }) => allowed,
      nowMs,
    });
  }

  /**
   * Whether a project may send from a domain, with the domain's tracking settings. Every project may use the hosted domain. Any other
   * domain must belong to the project, and be verified or in `warning` for less than 72 hours (docs/contract.md, Domain). Synchronous if
   * the result is cached.
   *
   * @param domain A-labels, lower case
   */
  find(projectId: string, domain: string): MaybePromise<SendingDomain> {
    if (domain === this.hostedDomain) return HOSTED;
    return this.#own.get(`${projectId} ${domain}`, () => this.#load(projectId, domain));
  }

  async #load(projectId: string, domain: string): Promise<SendingDomain> {
    const found = await this.#database
      .selectFrom('domains')
      .select(['trackOpens', 'trackClicks'])
      .where((row) => rowIs(row, { projectId, name: domain }))
      .where(maySend(this.#trustsManualVerification))
      .executeTakeFirst();
    return found === undefined ? REFUSED : { allowed: true, isHosted: false, ...found };
  }
}

/**
 * Changes the given settings and returns all settings. Servers notice the change within `SENDING_DOMAIN_TTL_MS`.
 * @param name A-labels, lower case
 * @throws AppError not-found if the project has no such domain, and for the hosted domain, to which each project's own settings apply
 */
export async function changeDomainTracking(
  database: Database,
  projectId: string,
  name: string,
  changes: Partial<DomainTracking>,
): Promise<DomainTracking> {
  return database.transaction().execute(async (tx) => {
    const before = await tx
      .selectFrom('domains')
      .select(['id', 'trackOpens', 'trackClicks'])
      .where((row) => rowIs(row, { projectId, name }))
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (before === undefined)
      throw new AppError('not-found', `The project has no domain ${name} of its own.`);
    const after = { trackOpens: before.trackOpens, trackClicks: before.trackClicks, ...changes };
    await tx
      .updateTable('domains')
      .set(after)
      .where((row) => rowIs(row, { projectId, name }))
      .execute();
    await recordChange(tx, {
      of: { projectId },
      action: 'domain.set-tracking',
      target: encodeId('dom', before.id),
      targetName: name,
      ...differences(trackingFields(before), trackingFields(after)),
    });
    return after;
  });
}

function trackingFields({ trackOpens, trackClicks }: DomainTracking) {
  return { track_opens: trackOpens, track_clicks: trackClicks };
}
