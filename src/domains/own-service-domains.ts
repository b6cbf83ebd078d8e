/**
 * Domains that an operator adds to the installation for the service's own mail. They have DKIM keys of their own and are verified by their records
 * in DNS, like domains of projects. No project sends from them because of it, and a project may have a claim on the same name.
 */
import { sql } from 'kysely';
import { recordChange } from '../accounts/audit.ts';
import type { DomainRecord } from '../contract/domains.ts';
import { rowIs } from '../db/row-is.ts';
import type { Database } from '../db/database.ts';
import type { Sealer } from '../db/seal.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { encodeId, newUuid, timeOf } from '../model/ids.ts';
import type { MailAccess } from '../rfc/mail-setup/mail-access.ts';
import { type Claim, readClaims } from './claim.ts';
import { NEW_CLAIM } from './claim-state.ts';
import { createKey, newSelector } from './dkim-key.ts';
import { recordBodies } from './domain-body.ts';
import { HOSTED_PROJECT_ID } from './hosted.ts';

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
  status: Claim['status'];
  records: DomainRecord[];
  last_checked_at: string | null;
  next_check_at: string | null;
}

/**
 * Adds a domain that is verified once its records are published. The caller is an operator; the change is in the audit log of the installation.
 * @throws AppError validation-failed: the name; already-exists: the installation has the domain
 */
export async function addServiceDomain(
  options: OwnServiceDomainsOptions & { sealer: Sealer },
  domain: string,
): Promise<ServiceDomainBody> {
  const { database, hostedDomain, sealer } = options;
  // The public suffixes take 6 MB: an idle process does without them.
  const { parseDomainName } = await import('./domain-name.ts');
  const name = parseDomainName(domain, hostedDomain);
  if (typeof name === 'object') throw validationError({ domain: name.error });
  const id = newUuid();
  const place = { projectId: HOSTED_PROJECT_ID, domainId: id };
  const key = await createKey(sealer, { ...place, selector: newSelector() }, 'rsa-sha256');
  await database.transaction().execute(async (tx) => {
    const made = await tx
      .insertInto('domains')
      .values({ ...NEW_CLAIM, projectId: HOSTED_PROJECT_ID, id, name, createdAt: timeOf(id) })
      .onConflict((conflict) => conflict.columns(['projectId', 'name']).doNothing())
      .returning('id')
      .executeTakeFirst();
    if (made === undefined)
      throw new AppError('already-exists', `The installation has the domain ${name} already.`, {
        errors: { domain: 'is a domain of the installation already' },
      });
    await tx
      .insertInto('serviceDomains')
      .values({ ...place, hasOwnKeys: true })
      .execute();
    await tx.insertInto('dkimKeys').values(key).execute();
    await recordChange(tx, {
      ...{ of: 'installation', action: 'domain.add-to-installation', target: name },
      after: { domain_id: encodeId('dom', id), dkim_selector: key.selector },
    });
  });
  const added = await readServiceDomain(options, name);
  if (added === null) throw new Error('the domain was removed while it was added');
  return added;
}

/** @param name A-labels, lower case @returns null: no operator added such a domain to the installation */
export async function readServiceDomain(
  { database, hostedDomain, mailAccess }: OwnServiceDomainsOptions,
  name: string,
): Promise<ServiceDomainBody | null> {
  const found = await database
    .selectFrom('serviceDomains as s')
    .innerJoin('domains as d', (join) =>
      join.onRef('d.projectId', '=', 's.projectId').onRef('d.id', '=', 's.domainId'),
    )
    .select('d.id')
    .where((row) => rowIs(row, { 'd.projectId': HOSTED_PROJECT_ID, 'd.name': name, 's.hasOwnKeys': true }))
    .executeTakeFirst();
  if (found === undefined) return null;
  const [claim] = await readClaims(database, HOSTED_PROJECT_ID, hostedDomain, found.id);
  if (claim === undefined) return null;
  return {
    ...{ id: encodeId('dom', claim.id), domain: claim.name, status: claim.status },
    // Nothing is received on such a domain because of it.
    records: recordBodies(claim, mailAccess).filter(({ record }) => record !== 'MX'),
    last_checked_at: claim.lastCheckedAt?.toISOString() ?? null,
    next_check_at: claim.nextCheckAt?.toISOString() ?? null,
  };
}

/**
 * Claims domains of the installation whose records are due for a check: no other worker takes them before `retryAt`.
 * @param limit at most so many
 */
export async function claimDueServiceDomains(
  database: Database,
  { now, retryAt, limit }: { now: Date; retryAt: Date; limit: number },
): Promise<{ projectId: string; id: string }[]> {
  const { rows } = await sql<{ projectId: string; id: string }>`
    with due as (
      select d.project_id, d.id from service_domains s join domains d on d.project_id = s.project_id and d.id = s.domain_id
      where s.has_own_keys and d.next_check_at <= ${now}
      order by d.next_check_at limit ${limit} for no key update of d skip locked
    )
    update domains d set next_check_at = ${retryAt} from due where d.project_id = due.project_id and d.id = due.id
    returning d.project_id, d.id`.execute(database);
  return rows;
}
