/** Checks for mailboxes and aliases of projects with addresses that belong to the operator. */
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { isReservedRow } from '../../mailboxes/reserved-addresses.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { World } from './world.ts';

/** Maximum number of addresses that the finding names. Further addresses are only counted. */
const MAX_NAMED = 5;

const ADDRESS = columnsOf({ address: 'text' });

/**
 * Checks for mailboxes and aliases with reserved addresses. Such a mailbox or alias was created by an earlier version, or before
 * POSTHORN_MAIL_FROM was set to its address.
 */
export async function checkReservedAddresses({ database }: World): Promise<Finding> {
  if ('error' in database)
    return problem(
      'Reserved addresses cannot be checked without the database.',
      'Fix the database first: see the check "database".',
    );
  const addresses = await reservedAddresses(database.opened);
  if (addresses.length === 0) return ok('No mailbox or alias has an address that belongs to the operator.');
  const listed = addresses.slice(0, MAX_NAMED).join(', ');
  const more = addresses.length > MAX_NAMED ? ` and ${addresses.length - MAX_NAMED} more` : '';
  return warning(
    `Projects have mailboxes or aliases with addresses that belong to the operator: ${listed}${more}. They receive mail and cannot send.`,
    'Ask their owners to move to another address, then delete the mailbox or alias.',
  );
}

async function reservedAddresses(database: Database): Promise<string[]> {
  const { rows } = await ADDRESS.sql`
    select local_part || '@' || domain as address from mailboxes where ${isReservedRow('mailboxes')}
    union all select local_part || '@' || domain from aliases where ${isReservedRow('aliases')}
    order by address`.execute(database);
  return rows.map(({ address }) => address);
}
