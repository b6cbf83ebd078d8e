/** Addresses whose mail this installation could receive, so that other users of the installation could read the mail. */
import { columnsOf } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { wasEverVerified } from '../domains/first-verified.ts';
import { parseMailbox } from '../rfc/address/index.ts';
import { isRole, mailboxKey } from './local-part.ts';

/** An address whose mail this installation could receive. */
export interface LocalAddress {
  /** uuids of the organizations whose admins can read the mailbox. Empty if only operators can. */
  organizationIds: readonly string[];
}

/**
 * The maximum number of organizations in the result. It does no harm, because callers only check whether the list has an organization other
 * than their own.
 */
const MAX_ORGANIZATIONS = 100;

/** The organization of a mailbox that could receive the mail; null for a role address of the operator. */
const RECEIVER = columnsOf({ organizationId: 'uuid?' });

/**
 * Finds the mailboxes, aliases, catch-alls and routes that could receive mail for an address, in any spelling and with any `+label`: those of the
 * hosted domain, and those of every claim that was ever verified.
 *
 * Where mail for the address is delivered now (by the MX record, locally, or through a provider) does not matter. Attack: the owner of a
 * mailbox points the MX record of its domain here just after mail was sent, and so receives that mail.
 * @returns null if no mail for the address can be received here
 */
export async function findLocal(
  database: Database | DatabaseTransaction,
  address: string,
): Promise<LocalAddress | null> {
  const parsed = parseMailbox(address);
  if ('error' in parsed) return null;
  const key = mailboxKey(parsed.localPart);
  const { rows } = await RECEIVER.sql`
    with claims as (
      select d.id from domains d
      where d.name = ${parsed.domain} and ${wasEverVerified(true)}
    )
    select distinct p.organization_id from (
      select m.project_id from claims c join mailboxes m on m.domain_id = c.id and m.local_part_key = ${key}
      union all select m.project_id from claims c join mailboxes m on m.domain_id = c.id and m.is_catch_all
      union all select l.project_id from claims c join aliases l on l.domain_id = c.id and l.local_part_key = ${key}
      union all select r.project_id from claims c
        join routes r on r.domain_id = c.id and (r.kind = 'domain' or r.kind = 'address' and r.local_part_key = ${key})
      union all select null from claims where ${isRole(key)}
    ) receivers left join projects p on p.id = receivers.project_id
    limit ${MAX_ORGANIZATIONS}`.execute(database);
  if (rows.length === 0) return null;
  return {
    organizationIds: rows.flatMap(({ organizationId }) => (organizationId === null ? [] : [organizationId])),
  };
}
