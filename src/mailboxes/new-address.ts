/** Checks of the address of a new mailbox or alias that the schema cannot make: its domain, and whether the address is taken or reserved. */
import { rowIs } from '../db/row-is.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { HOSTED_PROJECT_ID, isOperatorAddress } from '../domains/hosted.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { decodeId } from '../model/ids.ts';
import { localPartFault, localPartKey } from './local-part.ts';
import { isServiceSender } from './reserved-addresses.ts';

export interface AddressDomain {
  /** The nil project for the hosted domain. */
  projectId: string;
  id: string;
  /** A-labels, lower case */
  name: string;
}

/** An address, as far as others may have taken it. */
export interface NewAddress {
  /** uuid of the project that wants it. */
  projectId: string;
  domain: AddressDomain;
  localPartKey: string;
}

/** Stands in for an unknown domain when a local part is checked. */
const SOME_DOMAIN = 'domain.test';

/**
 * Everything that is known without a lock.
 *
 * @param errors gets what is wrong, by field
 * @returns null: something is
 */
export async function findAddress(
  database: Database,
  hostedDomain: string,
  projectId: string,
  body: { domain_id: string; local_part: string },
  errors: Record<string, string>,
): Promise<NewAddress | null> {
  const domain = await findDomain(database, hostedDomain, projectId, body.domain_id);
  if (domain === undefined) errors['domain_id'] = UNKNOWN_DOMAIN;
  const key = localPartKey(body.local_part);
  const fault = localPartFault(body.local_part, domain?.name ?? SOME_DOMAIN);
  if (fault !== null) errors['local_part'] = fault;
  else if (domain?.projectId === HOSTED_PROJECT_ID && isOperatorAddress(key))
    errors['local_part'] = 'belongs to the operator of the service';
  else if (domain !== undefined && (await isServiceSender(database, domain.name, key)))
    errors['local_part'] = 'is reserved: the service sends its own mail from this address';
  return domain === undefined || 'local_part' in errors ? null : { projectId, domain, localPartKey: key };
}

async function findDomain(
  database: Database,
  hostedDomain: string,
  projectId: string,
  id: string,
): Promise<AddressDomain | undefined> {
  const domainId = decodeId('dom', id);
  if (domainId === null) return undefined;
  const domain = await database
    .selectFrom('domains')
    .select(['projectId', 'id', 'name'])
    .where('projectId', 'in', [projectId, HOSTED_PROJECT_ID])
    .where('id', '=', domainId)
    .executeTakeFirst();
  // An earlier hosted domain is kept only for its keys.
  return domain?.projectId === HOSTED_PROJECT_ID && domain.name !== hostedDomain ? undefined : domain;
}

/**
 * Keeps the domain from being deleted until the transaction ends: whoever deletes it locks the row for update, and then
 * counts mailboxes and aliases.
 *
 * @param lock `shared` for a mailbox: two with one address are kept apart by an index. `alone` for an alias: no mailbox of its address is
 * made meanwhile, and every one that was is seen
 * @throws AppError validation-failed: it was deleted meanwhile
 */
export async function lockDomainForAddress(
  tx: DatabaseTransaction,
  { projectId, id }: AddressDomain,
  lock: 'shared' | 'alone',
): Promise<void> {
  const domain = tx
    .selectFrom('domains')
    .select('id')
    .where((row) => rowIs(row, { projectId, id }));
  const held = await (lock === 'alone' ? domain.forUpdate() : domain.forKeyShare()).executeTakeFirst();
  if (held === undefined) throw validationError({ domain_id: UNKNOWN_DOMAIN });
}

/** @throws AppError already-exists: of whatever project, they share the addresses of the hosted domain */
export async function assertAddressFree(
  database: Database | DatabaseTransaction,
  { projectId, domain, localPartKey }: NewAddress,
): Promise<void> {
  const place = { domainId: domain.id, localPartKey };
  const mailbox = database
    .selectFrom('mailboxes')
    .select('id')
    .where((row) => rowIs(row, place));
  const alias = database
    .selectFrom('aliases')
    .select('id')
    .where((row) => rowIs(row, place));
  for (const [holder, kind] of [
    [await mailbox.executeTakeFirst(), 'another mailbox'],
    [await alias.executeTakeFirst(), 'an alias'],
  ] as const)
    if (holder !== undefined)
      throw new AppError('already-exists', 'There is a mailbox or an alias with this address already.', {
        errors: { local_part: `is the address of ${kind} of this domain` },
      });
  await refusePastHolder(database, projectId, place);
}

/**
 * Attack: a project takes the address of a mailbox that another one deleted, and reads what is still written to it.
 * @throws AppError already-exists
 */
async function refusePastHolder(
  database: Database | DatabaseTransaction,
  projectId: string,
  place: { domainId: string; localPartKey: string },
): Promise<void> {
  const other = await database
    .selectFrom('pastHolders')
    .select('projectId')
    .where((row) => rowIs(row, place))
    .where('projectId', '<>', projectId)
    .executeTakeFirst();
  if (other !== undefined)
    throw new AppError('already-exists', 'This address belonged to another project.', {
      errors: { local_part: 'belonged to another project; an operator of the service can release it' },
    });
}

const UNKNOWN_DOMAIN = 'is not the id of a domain that was added to this project, nor of the hosted domain';
