/**
 * The installation's domains for the service's own mail. A domain that an operator adds has its own DKIM keys and is verified through DNS,
 * like the domains of projects. A domain that was copied from a project's claim signs with copied keys until an operator adds the domain
 * too (`own-service-keys.ts`). Projects cannot send from these domains, but a project may have a claim on the same name.
 */
import { type RawBuilder, sql } from 'kysely';
import { recordChange } from '../accounts/audit.ts';
import type { DomainRecord } from '../contract/domains.ts';
import { columnsOf, type RowOf } from '../db/columns.ts';
import { rowIs } from '../db/row-is.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import type { Sealer } from '../db/seal.ts';
import * as clock from '../model/clock.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { encodeId, newUuid, timeOf } from '../model/ids.ts';
import type { MailAccess } from '../rfc/mail-setup/mail-access.ts';
import { type DomainClaim, readClaims } from './claim.ts';
import { NEW_CLAIM } from './claim-state.ts';
import { createKey, type KeyRow, newSelector } from './dkim-key.ts';
import { recordBodies } from './record-bodies.ts';
import { HOSTED_PROJECT_ID } from './hosted.ts';
import { addOwnKey, checkSoon, ownKeys } from './own-service-keys.ts';

export interface OwnServiceDomainsOptions {
  database: Database;
  hostedDomain: string;
  mailAccess: MailAccess;
}

/** A domain of the installation, as operators see it. */
export interface ServiceDomainBody {
  /** dom_… */
  id: string;
  domain: string;
  /**
   * The status. With copied keys: the status of the domain's own unverified key, or `verified` if the domain has no key of its own.
   */
  status: DomainClaim['status'];
  /** Whether mail is signed with keys that were copied from a project's claim. */
  has_copied_keys: boolean;
  /** The records that the operator publishes. With copied keys: the records for the domain's own unverified key, if any. */
  records: DomainRecord[];
  last_checked_at: string | null;
  next_check_at: string | null;
}

/**
 * Adds a domain, which is verified once its records are published. A domain with copied keys gets its own key, which signs once the
 * key's records are seen. A domain whose checks have ended is checked again. The caller is an operator, and the change is recorded in the
 * audit log of the installation.
 * @throws AppError validation-failed if the name is not valid; already-exists if the domain was the hosted domain, or has its own keys
 * and its checks have not ended
 */
export async function addServiceDomain(
  options: OwnServiceDomainsOptions & { sealer: Sealer; nowMs?: () => number },
  domain: string,
): Promise<ServiceDomainBody> {
  const { database, hostedDomain, sealer, nowMs = clock.nowMs } = options;
  // The public suffix list takes 6 MB, so `domain-name.ts` is loaded only when needed.
  const { parseDomainName } = await import('./domain-name.ts');
  const name = parseDomainName(domain, hostedDomain);
  if (typeof name === 'object') throw validationError({ domain: name.error });
  const before = await findServiceDomain(database, name);
  const id = before?.id ?? newUuid();
  const place = { projectId: HOSTED_PROJECT_ID, domainId: id };
  const key = await createKey(sealer, { ...place, selector: newSelector() }, 'rsa-sha256');
  await database.transaction().execute(async (tx) => {
    if (before !== undefined) return extendDomain(tx, name, key, new Date(nowMs()));
    const made = await tx
      .insertInto('domains')
      .values({ ...NEW_CLAIM, projectId: HOSTED_PROJECT_ID, id, name, createdAt: timeOf(id) })
      .onConflict((conflict) => conflict.columns(['projectId', 'name']).doNothing())
      .returning('id')
      .executeTakeFirst();
    if (made === undefined) throw alreadyAdded(name);
    await tx
      .insertInto('serviceDomains')
      .values({ ...place, hasOwnKeys: true })
      .execute();
    await tx.insertInto('dkimKeys').values(key).execute();
    await recordChange(tx, {
      of: 'installation',
      action: 'domain.add-to-installation',
      target: name,
      after: { domain_id: encodeId('dom', id), dkim_selector: key.selector },
    });
  });
  const added = await readServiceDomain(options, name);
  if (added === null) throw new Error('the domain was removed while it was being added');
  return added;
}

/** @throws AppError already-exists */
async function extendDomain(tx: DatabaseTransaction, name: string, key: KeyRow, now: Date): Promise<void> {
  const found = await findServiceDomain(tx, name, 'change');
  if (found === undefined || found.id !== key.domainId) throw alreadyAdded(name);
  if (found.hasOwnKeys === null)
    throw new AppError(
      'already-exists',
      `${name} was the hosted domain: the installation already has keys for it.`,
      { errors: { domain: 'was the hosted domain of the installation' } },
    );
  if (!found.hasOwnKeys) return addOwnKey(tx, found, key, now);
  if (found.status !== 'failed') throw alreadyAdded(name);
  await tx
    .updateTable('domains')
    .set({ status: 'pending' })
    .where((row) => rowIs(row, { projectId: HOSTED_PROJECT_ID, id: found.id }))
    .execute();
  await checkSoon(tx, found.id, now);
  await recordChange(tx, {
    of: 'installation',
    action: 'domain.check-again',
    target: name,
    after: { domain_id: encodeId('dom', found.id) },
  });
}

function alreadyAdded(name: string): AppError {
  return new AppError('already-exists', `The installation already has the domain ${name}.`, {
    errors: { domain: 'is already a domain of the installation' },
  });
}

/**
 * A domain of the installation. `hasOwnKeys` is null for the current or an earlier hosted domain.
 * @param lock the lock that the transaction needs on the domain's row
 */
export async function findServiceDomain(
  database: Database | DatabaseTransaction,
  name: string,
  lock?: 'change' | 'removal',
) {
  return database
    .selectFrom('domains as d')
    .leftJoin('serviceDomains as s', (join) =>
      join.onRef('d.projectId', '=', 's.projectId').onRef('d.id', '=', 's.domainId'),
    )
    .select(['d.id', 'd.name', 'd.status', 's.hasOwnKeys'])
    .where((row) => rowIs(row, { 'd.projectId': HOSTED_PROJECT_ID, 'd.name': name }))
    .$if(lock === 'change', (query) => query.forNoKeyUpdate('d'))
    .$if(lock === 'removal', (query) => query.forUpdate('d'))
    .executeTakeFirst();
}

/**
 * @param name A-labels, lower case
 * @returns null if the installation has no such domain for service mail
 */
export async function readServiceDomain(
  { database, hostedDomain, mailAccess }: OwnServiceDomainsOptions,
  name: string,
): Promise<ServiceDomainBody | null> {
  const found = await findServiceDomain(database, name);
  if (found === undefined || found.hasOwnKeys === null) return null;
  const [claim] = await readClaims(database, HOSTED_PROJECT_ID, hostedDomain, found.id);
  if (claim === undefined) return null;
  const shown = found.hasOwnKeys ? claim : withOwnKeys(claim);
  // The domain is only used for sending service mail, so no MX record is needed.
  const records = recordBodies(shown, mailAccess).filter(({ record }) => record !== 'MX');
  return {
    id: encodeId('dom', claim.id),
    domain: claim.name,
    status: shown.status,
    has_copied_keys: !found.hasOwnKeys,
    // The project publishes the records of the copied keys.
    records: shown.keys.length === 0 ? [] : records,
    last_checked_at: claim.lastCheckedAt?.toISOString() ?? null,
    // Without a key of its own, the domain is not checked, so the stored time has no meaning.
    next_check_at: shown.keys.length === 0 ? null : (claim.nextCheckAt?.toISOString() ?? null),
  };
}

/** Returns a domain with copied keys as if it had only its own key, with the status of that key. */
function withOwnKeys(claim: DomainClaim): DomainClaim {
  const keys = ownKeys(claim.keys);
  if (keys.length === 0) return { ...claim, keys };
  return { ...claim, keys, status: claim.nextCheckAt === null ? 'failed' : 'pending' };
}

const DUE = columnsOf({ projectId: 'uuid', id: 'uuid' });

/** Condition on a domain of the installation, `s` joined with `d`: its records are due for a check. */
function isDue(now: Date): RawBuilder<unknown> {
  return sql`d.next_check_at <= ${now} and (s.has_own_keys or exists (
    select from dkim_keys k where k.project_id = d.project_id and k.domain_id = d.id and k.state = 'next'))`;
}

const SERVICE_DOMAINS = sql`service_domains s join domains d on d.project_id = s.project_id and d.id = s.domain_id`;

/** Condition: a domain of the installation is due for a check. */
export function hasDueServiceDomains(now: Date): RawBuilder<unknown> {
  return sql`exists (select from ${SERVICE_DOMAINS} where ${isDue(now)})`;
}

/**
 * Claims domains of the installation whose records are due for a check, so that no other worker claims the same domains before `retryAt`.
 * @param limit the maximum number of domains to claim
 */
export async function claimDueServiceDomains(
  database: Database,
  { now, retryAt, limit }: { now: Date; retryAt: Date; limit: number },
): Promise<RowOf<typeof DUE>[]> {
  const { rows } = await DUE.sql`
    with due as (
      select d.project_id, d.id from ${SERVICE_DOMAINS} where ${isDue(now)}
      order by d.next_check_at limit ${limit} for no key update of d skip locked
    )
    update domains d set next_check_at = ${retryAt} from due where d.project_id = due.project_id and d.id = due.id
    returning d.project_id, d.id`.execute(database);
  return rows;
}
