/** The addresses that a mailbox may send from (docs/mailboxes.md, Aliases). */
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { MailboxAddress } from '../rfc/address/index.ts';
import { addressOf, mailboxKey } from './local-part.ts';
import { isReservedRow } from './reserved-addresses.ts';

/** An address whose mail is delivered to a mailbox. Its tagged forms (`name+tag`) count as the same address. */
interface OwnAddress {
  /** The address as users see it. */
  address: string;
  /** A-labels, lower case. */
  domain: string;
  /** See `localPartKey`. */
  key: string;
  /** Whether the address is reserved (`ReservedAddresses`): the mailbox receives mail at the address but may not send from it. */
  isReserved: boolean;
}

/** Maximum number of addresses in an error message. */
const MAX_NAMED = 5;

/** The mailbox's address, then the addresses of its aliases, oldest first. Empty if the mailbox is deleted. */
export type OwnAddresses = readonly OwnAddress[];

/** Makes one query, which returns one row for the mailbox and at most one for each alias of the project. */
export async function ownAddresses(
  database: Database,
  projectId: string,
  mailboxId: string,
): Promise<OwnAddresses> {
  return (await ownAddressesOf(database, projectId, [mailboxId])).get(mailboxId) ?? [];
}

/** Like `ownAddresses`, by mailbox. @param mailboxIds at least one */
export async function ownAddressesOf(
  database: Database,
  projectId: string,
  mailboxIds: readonly string[],
): Promise<Map<string, OwnAddresses>> {
  const rows = await database
    .selectFrom('mailboxes')
    .select(['domain', 'localPart', 'localPartKey', 'id', 'id as mailboxId', sql<number>`0`.as('rank')])
    .select(isReservedRow('mailboxes').as('isReserved'))
    .where('projectId', '=', projectId)
    .where('id', 'in', mailboxIds)
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
          'aliasMailboxes.mailboxId',
          sql<number>`1`.as('rank'),
        ])
        .select(isReservedRow('aliases').as('isReserved'))
        .where('aliasMailboxes.projectId', '=', projectId)
        .where('aliasMailboxes.mailboxId', 'in', mailboxIds),
    )
    .orderBy('rank')
    .orderBy('id')
    .execute();
  const ofEach = Map.groupBy(rows, ({ mailboxId }) => mailboxId);
  return new Map(
    [...ofEach].map(([mailboxId, all]) => [
      mailboxId,
      all.map(({ domain, localPart, localPartKey, isReserved }) => ({
        address: addressOf({ localPart, domain }),
        domain,
        key: localPartKey,
        isReserved,
      })),
    ]),
  );
}

/** Whether mail to the address is delivered to the mailbox. @param address as `parseMailbox` returns it */
export function isOwnAddress(
  address: Pick<MailboxAddress, 'localPart' | 'domain'>,
  own: OwnAddresses,
): boolean {
  const key = mailboxKey(address.localPart);
  return own.some((one) => one.domain === address.domain && one.key === key);
}

/**
 * Whether the mailbox may send from the address: mail to the address is delivered to the mailbox, and the address is not reserved.
 * @param address as `parseMailbox` returns it
 */
export function mayWriteFrom(
  address: Pick<MailboxAddress, 'localPart' | 'domain'>,
  own: OwnAddresses,
): boolean {
  return isOwnAddress(address, writable(own));
}

/** The addresses that the mailbox may send from. */
export function writable(own: OwnAddresses): OwnAddresses {
  return own.filter(({ isReserved }) => !isReserved);
}

/** Ends an error message that begins with the mailbox's address: "can send from ada@acme.example, and ...". */
export function mayWrite(own: OwnAddresses): string {
  const may = writable(own);
  if (may.length === 0 && own[0] !== undefined)
    return `receives mail but cannot send: ${own[0].address} is reserved for the operator of the service`;
  const named = may.slice(0, MAX_NAMED).map(({ address }) => address);
  const more = may.length > named.length ? ` and ${may.length - named.length} more` : '';
  return `can send from ${named.join(', ')}${more}, and their tagged forms (name+tag)`;
}
