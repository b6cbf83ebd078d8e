/**
 * Addresses that belong to the operator of the installation. On the hosted domain, these are names such as `postmaster` and `posthorn`. On
 * any domain, they are the address that service mail is sent from (POSTHORN_MAIL_FROM) and the addresses that it was sent from earlier.
 * Attack: a project that sends or reads mail with such an address impersonates the service, and users trust links in that mail.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { LoadingCache } from '../db/loading-cache.ts';
import { HOSTED_PROJECT_ID, isOperatorAddress, OPERATOR_LOCAL_PARTS } from '../domains/hosted.ts';
import * as clock from '../model/clock.ts';
import { DAY_MS } from '../model/day.ts';
import type { MaybePromise } from '../model/maybe-promise.ts';
import type { MailboxAddress } from '../rfc/address/index.ts';
import { mailboxKey } from './local-part.ts';

type Address = Pick<MailboxAddress, 'localPart' | 'domain'>;

/**
 * Cache lifetime. For this long, projects can still send from an address that an operator has just configured as the sender of service
 * mail.
 */
const TTL_MS = 2_000;

/** Looks up reserved addresses. There are few, and every accepted email is checked, so all of them are cached as one set. */
export class ReservedAddresses {
  readonly #database: Database;
  readonly #hostedDomain: string;
  readonly #senders: LoadingCache<ReadonlySet<string>>;

  /**
   * @param hostedDomain A-labels, lower case
   * @param nowMs a monotonic clock, for tests
   */
  constructor(database: Database, hostedDomain: string, nowMs = () => performance.now()) {
    this.#database = database;
    this.#hostedDomain = hostedDomain;
    this.#senders = new LoadingCache({ ttlMs: TTL_MS, maxEntries: 1, mayCache: () => true, nowMs });
  }

  /**
   * Whether the address, in any spelling and with any `+label`, is reserved. No project may then send from it. @param address as
   * `parseMailbox` returns it
   */
  has({ localPart, domain }: Address): MaybePromise<boolean> {
    const key = mailboxKey(localPart);
    if (domain === this.#hostedDomain && (isOperatorAddress(localPart) || isOperatorAddress(key)))
      return true;
    const name = nameOf(domain, key);
    const senders = this.#senders.get('', () => readSenders(this.#database));
    return senders instanceof Promise ? senders.then((found) => found.has(name)) : senders.has(name);
  }
}

/** Whether the address is reserved as a current or earlier sender of service mail. @param key see `mailboxKey` */
export async function isServiceSender(
  database: Database | DatabaseTransaction,
  domain: string,
  key: string,
): Promise<boolean> {
  const found = await database
    .selectFrom('serviceSenders')
    .select('address')
    .where('domain', '=', domain)
    .where('localPartKey', '=', key)
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * SQL that is true if the address of a mailbox or alias was reserved after its creation. Such a mailbox or alias receives mail but cannot
 * send.
 * @param row the name of the row in the statement
 */
export function isReservedRow(row: 'mailboxes' | 'aliases'): RawBuilder<boolean> {
  const of = sql.ref(row);
  return sql<boolean>`(
    exists (select from service_senders s where s.domain = ${of}.domain and s.local_part_key = ${of}.local_part_key)
    or ${of}.local_part_key = any(${[...OPERATOR_LOCAL_PARTS]}::text[])
      and exists (select from domains h where h.project_id = ${HOSTED_PROJECT_ID}::uuid and h.id = ${of}.domain_id))`;
}

/** How long a configured sender stays reserved after the last start with this configuration if no mail was ever sent from it. */
const UNUSED_MS = DAY_MS;

/**
 * Reserves the configured sender of service mail, at each start. If no mail was ever sent from an earlier sender, the sender may have
 * been a typo and is released a day after the last start with this sender. Attack: during a rolling restart, processes have different
 * senders. If the older sender were released at once, a project could take its address before an older process sends from it.
 */
export async function reserveSender(
  database: Database,
  { address, localPart, domain }: Address & Pick<MailboxAddress, 'address'>,
): Promise<void> {
  const localPartKey = mailboxKey(localPart);
  const namedAt = clock.now();
  await database
    .insertInto('serviceSenders')
    .values({ domain, localPartKey, address, usedAt: null, namedAt })
    .onConflict((conflict) => conflict.columns(['domain', 'localPartKey']).doUpdateSet({ namedAt }))
    .execute();
  await database
    .deleteFrom('serviceSenders')
    .where('usedAt', 'is', null)
    .where('namedAt', '<', new Date(namedAt.getTime() - UNUSED_MS))
    .execute();
}

/** Reserves an address permanently, because service mail is sent from it in the same transaction. */
export async function recordSender(
  tx: Database | DatabaseTransaction,
  { address, localPart, domain }: Address & Pick<MailboxAddress, 'address'>,
): Promise<void> {
  const localPartKey = mailboxKey(localPart);
  const used = await tx
    .selectFrom('serviceSenders')
    .select('address')
    .where('domain', '=', domain)
    .where('localPartKey', '=', localPartKey)
    .where('usedAt', 'is not', null)
    .executeTakeFirst();
  // Do not write the row again. A write would lock it, and transactions that send service mail at the same time would wait for each other.
  if (used !== undefined) return;
  const usedAt = clock.now();
  await tx
    .insertInto('serviceSenders')
    .values({ domain, localPartKey, address, usedAt })
    .onConflict((conflict) => conflict.columns(['domain', 'localPartKey']).doUpdateSet({ usedAt }))
    .execute();
}

async function readSenders(database: Database): Promise<ReadonlySet<string>> {
  const rows = await database.selectFrom('serviceSenders').select(['domain', 'localPartKey']).execute();
  return new Set(rows.map(({ domain, localPartKey }) => nameOf(domain, localPartKey)));
}

function nameOf(domain: string, key: string): string {
  return `${key}@${domain}`;
}
