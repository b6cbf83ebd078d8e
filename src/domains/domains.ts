/** The domains of projects (docs/contract.md, Domains). */
import type {
  DashboardDomain,
  DashboardDomainList,
  DomainTrackingSettings,
} from '../contract/dashboard/domains.ts';
import type { CreateDomain, Domain, DomainList } from '../contract/domains.ts';
import { recordChange } from '../accounts/audit.ts';
import { readProjectSettings } from '../accounts/projects/project-settings.ts';
import { findPlan, lockProject } from '../accounts/projects/projects.ts';
import { rowIs } from '../db/row-is.ts';
import type { DatabaseTransaction } from '../db/database.ts';
import type { Sealer } from '../db/seal.ts';
import * as clock from '../model/clock.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { encodeId, newUuid, timeOf } from '../model/ids.ts';
import { Semaphore } from '../concurrency/semaphore.ts';
import { checkMayAdd } from './check-may-add.ts';
import { type DomainClaim, isHosted, readClaims } from './claim.ts';
import { domainBody } from './domain-body.ts';
import { createKey, newSelector } from './dkim-key.ts';
import { type DetailsOptions, domainDetails, domainSummary, valueOf } from './domain-details.ts';
import { addNextKey, dropNextKey } from './dkim-rotation.ts';
import { NEW_CLAIM } from './claim-state.ts';
import { describeMail } from './mx/describe-mail.ts';
import { changeDomainTracking } from './sending-domains.ts';
import { isInServiceUse } from './service-domain.ts';
import { SharedRuns } from './shared-runs.ts';
import { verifyClaim, type VerifyOptions } from './verify-claim.ts';
import { verifyManually } from './verify-manually.ts';

/**
 * The maximum number of keys that are created at once. Creating an RSA key occupies a thread for 100 ms, and Node's pool has only four
 * threads, which are also needed to sign mail.
 */
const KEYS_AT_ONCE = 2;
const CHECKS_AT_ONCE = 16;

export interface DomainsOptions extends VerifyOptions, DetailsOptions {
  sealer: Sealer;
  hostedDomain: string;
}

export class Domains {
  readonly #options: DomainsOptions;
  readonly #keySlots = new Semaphore(KEYS_AT_ONCE);
  readonly #checkSlots = new Semaphore(CHECKS_AT_ONCE);
  readonly #checks = new SharedRuns<void>();

  constructor(options: DomainsOptions) {
    this.#options = options;
  }

  async list(projectId: string): Promise<DomainList> {
    const { database, hostedDomain } = this.#options;
    const claims = await readClaims(database, projectId, hostedDomain);
    return { data: claims.map((claim) => this.#body(claim)) };
  }

  /** @returns null if the project has no such domain */
  async get(projectId: string, domainId: string): Promise<Domain | null> {
    const claim = await this.#find(projectId, domainId);
    return claim === null ? null : this.#body(claim);
  }

  async listSummaries(projectId: string): Promise<DashboardDomainList> {
    const { database, hostedDomain } = this.#options;
    const claims = await readClaims(database, projectId, hostedDomain);
    return { data: claims.map((claim) => domainSummary(claim, this.#options)) };
  }

  /** A domain as its page in the dashboard shows it. @returns null if the project has no such domain */
  async getDetails(projectId: string, domainId: string): Promise<DashboardDomain | null> {
    const claim = await this.#find(projectId, domainId);
    if (claim === null) return null;
    const { database, mailAccess, mxNames = [] } = this.#options;
    const project = await readProjectSettings(database, projectId);
    const mail = await describeMail(database, this.#options, [mailAccess.hostname, ...mxNames], claim);
    return domainDetails(claim, project, mail, this.#options);
  }

  /** @throws AppError validation-failed, already-exists, plan-limit-exceeded */
  async create(projectId: string, { domain, region }: CreateDomain): Promise<Domain> {
    const { database, sealer, hostedDomain } = this.#options;
    // The public suffix list takes 6 MB, so `domain-name.ts` is loaded only when needed.
    const { parseDomainName } = await import('./domain-name.ts');
    const name = parseDomainName(domain, hostedDomain);
    if (typeof name === 'object') throw validationError({ domain: name.error });
    const id = newUuid();
    const key = await this.#keySlots.run(async () => {
      // Check before a key is created, which is slow. This result may be outdated; only the check in the transaction below, which holds a
      // lock, is reliable.
      await checkMayAdd(database, projectId, await findPlan(database, projectId), name);
      return createKey(sealer, { projectId, domainId: id, selector: newSelector() }, 'rsa-sha256');
    });
    const row = { ...NEW_CLAIM, projectId, id, name, region: region ?? null, createdAt: timeOf(id) };
    await database.transaction().execute(async (tx) => {
      await checkMayAdd(tx, projectId, await lockProject(tx, projectId), name);
      await tx.insertInto('domains').values(row).execute();
      await tx.insertInto('dkimKeys').values(key).execute();
      await recordChange(tx, {
        of: { projectId },
        action: 'domain.add',
        target: encodeId('dom', id),
        targetName: name,
        after: { domain: name, region: row.region, dkim_selector: key.selector },
      });
    });
    return this.#body({
      ...row,
      checks: {},
      lastCheckedAt: null,
      nextCheckAt: null,
      verifiedByHandAt: null,
      trackOpens: null,
      trackClicks: null,
      dnsZone: null,
      nameServers: null,
      keys: [key],
      hasMailboxes: false,
    });
  }

  /**
   * @returns false if the project has no such domain
   * @throws AppError hosted-domain-protected, domain-in-use
   */
  async remove(projectId: string, domainId: string): Promise<boolean> {
    const { database, hostedDomain } = this.#options;
    return database.transaction().execute(async (tx) => {
      const [claim] = await readClaims(tx, projectId, hostedDomain, domainId);
      if (claim === undefined) return false;
      if (isHosted(claim))
        throw new AppError('hosted-domain-protected', 'The hosted domain cannot be removed.');
      const locked = await tx
        .selectFrom('domains')
        .select('id')
        .where((row) => rowIs(row, { projectId, id: domainId }))
        // A transaction that creates a mailbox or an alias on the domain takes a lock on this row too, so whichever transaction is second
        // waits and then sees the changes of the first.
        .forUpdate()
        .executeTakeFirst();
      if (locked === undefined) return false;
      await refuseWhileInUse(tx, projectId, domainId);
      if (await isInServiceUse(tx, claim))
        throw new AppError(
          'domain-in-use',
          'The service sends its own mail from this domain. Ask an operator to change POSTHORN_MAIL_FROM first.',
        );
      await tx
        .deleteFrom('domains')
        .where((row) => rowIs(row, { projectId, id: domainId }))
        .execute();
      await recordChange(tx, {
        of: { projectId },
        action: 'domain.delete',
        target: encodeId('dom', domainId),
        targetName: claim.name,
        before: { domain: claim.name, status: claim.status },
      });
      return true;
    });
  }

  /** Checks the records in DNS with `verifyClaim`. The hosted domain is not checked. @returns null if the project has no such domain */
  async verify(projectId: string, domainId: string): Promise<Domain | null> {
    const found = await this.#find(projectId, domainId);
    if (found === null || isHosted(found)) return found && this.#body(found);
    await this.#checks.run(`${projectId} ${domainId}`, () =>
      this.#checkSlots.run(async () => {
        const claim = await this.#find(projectId, domainId);
        if (claim !== null) await verifyClaim(this.#options, claim, true);
      }),
    );
    return this.get(projectId, domainId);
  }

  /**
   * Lets the project send from a domain without DNS records (`verify-manually.ts`). The caller must be an operator.
   * @returns false if the project has no such domain
   * @throws AppError hosted-domain-protected; bad-request in production
   */
  async verifyManually(projectId: string, domainId: string): Promise<boolean> {
    if (!this.#options.trustsManualVerification)
      throw new AppError(
        'bad-request',
        'In production, domains cannot be verified manually. Publish the DNS records of the domain, which is then verified automatically.',
      );
    const claim = await this.#findOwn(projectId, domainId);
    return claim !== null && (await verifyManually(this.#options.database, projectId, claim.name)) !== null;
  }

  /**
   * Creates the next DKIM key, unless the domain already has one (`dkim-rotation.ts`). The returned domain includes the record of the key.
   * @returns null if the project has no such domain
   * @throws AppError hosted-domain-protected, bad-request
   */
  async startDkimRotation(projectId: string, domainId: string): Promise<Domain | null> {
    const { sealer, nowMs = clock.nowMs } = this.#options;
    const claim = await this.#findOwn(projectId, domainId);
    if (claim === null) return null;
    if (!claim.keys.some(({ state }) => state === 'next')) {
      const key = await this.#keySlots.run(() =>
        createKey(sealer, { projectId, domainId, selector: newSelector() }, 'rsa-sha256'),
      );
      await this.#changeKeys(claim, (tx) => addNextKey(tx, claim, key, new Date(nowMs())));
    }
    return this.get(projectId, domainId);
  }

  /**
   * Deletes the next DKIM key. Does nothing if its record was seen in DNS, because the key then already signs.
   * @returns null if the project has no such domain
   * @throws AppError hosted-domain-protected
   */
  async cancelDkimRotation(projectId: string, domainId: string): Promise<Domain | null> {
    const claim = await this.#findOwn(projectId, domainId);
    if (claim === null) return null;
    await this.#changeKeys(claim, (tx) => dropNextKey(tx, claim));
    return this.get(projectId, domainId);
  }

  /**
   * Changes the tracking settings of a domain. Does nothing if the project has no such domain.
   * @throws AppError hosted-domain-protected, because each project's own settings apply to the hosted domain
   */
  async setTracking(
    projectId: string,
    domainId: string,
    { opens, clicks }: DomainTrackingSettings,
  ): Promise<void> {
    const claim = await this.#findOwn(projectId, domainId);
    if (claim === null) return;
    const changes = { trackOpens: valueOf(opens), trackClicks: valueOf(clicks) };
    await changeDomainTracking(this.#options.database, projectId, claim.name, changes);
  }

  /** Changes the keys of a claim, unless the claim was removed in the meantime. */
  async #changeKeys(
    { projectId, id }: DomainClaim,
    change: (tx: DatabaseTransaction) => Promise<void>,
  ): Promise<void> {
    await this.#options.database.transaction().execute(async (tx) => {
      const locked = await tx
        .selectFrom('domains')
        .select('id')
        .where((row) => rowIs(row, { projectId, id }))
        // Unlike `forUpdate`, this lock lets mailboxes be created on the domain in the meantime.
        .forNoKeyUpdate()
        .executeTakeFirst();
      if (locked !== undefined) await change(tx);
    });
  }

  /** @throws AppError hosted-domain-protected */
  async #findOwn(projectId: string, domainId: string): Promise<DomainClaim | null> {
    const claim = await this.#find(projectId, domainId);
    if (claim !== null && isHosted(claim))
      throw new AppError('hosted-domain-protected', 'The hosted domain belongs to the operator.');
    return claim;
  }

  async #find(projectId: string, domainId: string): Promise<DomainClaim | null> {
    const { database, hostedDomain } = this.#options;
    const [claim] = await readClaims(database, projectId, hostedDomain, domainId);
    return claim ?? null;
  }

  #body(claim: DomainClaim): Domain {
    return domainBody(claim, this.#options);
  }
}

/** @throws AppError domain-in-use */
async function refuseWhileInUse(tx: DatabaseTransaction, projectId: string, domainId: string): Promise<void> {
  for (const table of ['mailboxes', 'aliases', 'routes'] as const) {
    const user = await tx
      .selectFrom(table)
      .select('id')
      .where((row) => rowIs(row, { projectId, domainId }))
      .limit(1)
      .executeTakeFirst();
    if (user !== undefined)
      throw new AppError('domain-in-use', `There are ${table} on the domain. Delete them first.`);
  }
}
