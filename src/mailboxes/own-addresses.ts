/** Which addresses a mailbox may write from (docs/mailboxes.md, Aliases). */
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { Mailbox } from '../rfc/address/index.ts';
import { mailboxKey } from './local-part.ts';

/** An address that leads to a mailbox, and with it all its tagged forms. */
interface OwnAddress {
  /** As it is shown. */
  address: string;
  /** A-labels, lower case. */
  domain: string;
  /** See `localPartKey`. */
  key: string;
}

/** That of the mailbox first, then those of its aliases, the oldest first. None: the mailbox is deleted. */
export type OwnAddresses = readonly OwnAddress[];

/** One query, and no more rows than a project has aliases. */
export async function ownAddresses(
  database: Database,
  projectId: string,
  mailboxId: string,
): Promise<OwnAddresses> {
  const rows = await database
    .selectFrom('mailboxes')
    .select(['domain', 'localPart', 'localPartKey', 'id', sql<number>`0`.as('rank')])
    .where('projectId', '=', projectId)
    .where('id', '=', mailboxId)
    .unionAll(
      database
        .selectFrom('aliasMailboxes')
        .innerJoin('aliases', (join) =>
          join
            .onRef('aliases.projectId', '=', 'aliasMailboxes.projectId')
            .onRef('aliases.id', '=', 'aliasMailboxes.aliasId'),
        )
        .select([
          'aliases.domain',
          'aliases.localPart',
          'aliases.localPartKey',
          'aliases.id',
          sql<number>`1`.as('rank'),
        ])
        .where('aliasMailboxes.projectId', '=', projectId)
        .where('aliasMailboxes.mailboxId', '=', mailboxId),
    )
    .orderBy('rank')
    .orderBy('id')
    .execute();
  return rows.map(({ domain, localPart, localPartKey }) => ({
    address: `${localPart.normalize('NFC')}@${domain}`,
    domain,
    key: localPartKey,
  }));
}

/**
 * Whether mail to the address would lead to the mailbox: whoever has it may write from it.
 * @param address as `parseMailbox` gives it
 */
export function mayWriteFrom(address: Pick<Mailbox, 'localPart' | 'domain'>, own: OwnAddresses): boolean {
  const key = mailboxKey(address.localPart);
  return own.some((one) => one.domain === address.domain && one.key === key);
}
