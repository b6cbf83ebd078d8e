/** Checks the address of a new mailbox, alias or route beyond the schema: the domain, and whether the address is already used or reserved. */
import { rowIs } from '../db/row-is.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { HOSTED_PROJECT_ID, isOperatorAddress } from '../domains/hosted.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { decodeId } from '../model/ids.ts';
import { localPartFault, localPartKey } from './local-part.ts';
import { isServiceSender } from './reserved-addresses.ts';

export interface AddressDomain {
  /** The project's uuid; the nil uuid for the hosted domain. */
  projectId: string;
  id: string;
  /** A-labels, lower case */
  name: string;
}

/** An address that a project wants to use, and that may already be in use. */
export interface NewAddress {
  /** uuid of the project that requests the address. */
  projectId: string;
  domain: AddressDomain;
  localPartKey: string;
}

/** Stands for the domain when a local part is checked although the domain was not found, so that both errors are reported. */
const SOME_DOMAIN = 'domain.test';

/**
 * Makes all checks that need no lock.
 *
 * @param errors receives the error of each invalid field
 * @returns null if there is an error
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
    errors['local_part'] = 'belongs to the operator of the service: choose another address';
  else if (domain !== undefined && (await isServiceSender(database, domain.name, key)))
    errors['local_part'] = 'is reserved: the service sends its own mail from this address';
  return domain === undefined || 'local_part' in errors ? null : { projectId, domain, localPartKey: key };
}

/** The domain with an id, if the project can create addresses there: its own, or the hosted domain. */
export async function findDomain(
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
  // An earlier hosted domain is stored only for its keys and gets no new addresses.
  return domain?.projectId === HOSTED_PROJECT_ID && domain.name !== hostedDomain ? undefined : domain;
}

/**
 * Prevents the domain from being deleted until the transaction ends. A transaction that deletes a domain locks its row for update and then
 * checks that it has no mailboxes, aliases and routes.
 *
 * @param lock `shared` for a mailbox: a unique index already prevents two mailboxes with one address. `alone` for an alias or a route: no
 * index covers mailboxes, aliases and routes together, so no mailbox may be created at the same time
 * @throws AppError validation-failed if the domain was deleted in the meantime
 */
export async function lockDomainForAddress(
  tx: DatabaseTransaction,
  { projectId, id }: Pick<AddressDomain, 'projectId' | 'id'>,
  lock: 'shared' | 'alone',
): Promise<void> {
  const domain = tx
    .selectFrom('domains')
    .select('id')
    .where((row) => rowIs(row, { projectId, id }));
  const locked = await (lock === 'alone' ? domain.forUpdate() : domain.forKeyShare()).executeTakeFirst();
  if (locked === undefined) throw validationError({ domain_id: UNKNOWN_DOMAIN });
}

/**
 * Checks that the address is free in all projects, because projects share the addresses of the hosted domain.
 * @throws AppError already-exists
 */
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
  const route = database
    .selectFrom('routes')
    .select('id')
    .where((row) => rowIs(row, { ...place, kind: 'address' }));
  for (const [holder, kind] of [
    [await mailbox.executeTakeFirst(), 'a mailbox'],
    [await alias.executeTakeFirst(), 'an alias'],
    [await route.executeTakeFirst(), 'a route'],
  ] as const)
    if (holder !== undefined)
      throw new AppError(
        'already-exists',
        'A mailbox, an alias or a route with this address already exists.',
        {
          errors: { local_part: `is already the address of ${kind} of this domain` },
        },
      );
  await refusePastHolder(database, projectId, place);
}

/**
 * Rejects an address that another project has used. Attack: a project takes the address of a mailbox that another project has deleted,
 * and reads mail that is still sent to the address.
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
    throw new AppError(
      'already-exists',
      'This address belonged to another project. Ask an operator to release it.',
      {
        errors: { local_part: 'belonged to another project; an operator of the service can release it' },
      },
    );
}

const UNKNOWN_DOMAIN = 'must be the id of a domain of this project or of the hosted domain';
