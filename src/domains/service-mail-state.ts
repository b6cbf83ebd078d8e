/** Whether service mail can be sent from a domain, according to the database. Makes no DNS queries. */
import { sql } from 'kysely';
import { rowIs } from '../db/row-is.ts';
import type { Database } from '../db/database.ts';
import { WARNING_MS } from './claim-state.ts';
import type { ServiceMailStateName } from '../model/service-mail-states.ts';
import { HOSTED_PROJECT_ID } from './hosted.ts';
import { maySend, trustsManualVerification } from './sending-domains.ts';
import { readServiceMailDomain } from './service-domain.ts';

export interface ServiceMailState {
  /**
   * `at_risk`: records are missing. With its own keys, the installation will stop sending at `stopsAt`. With copied keys, it will continue
   * to send, but receivers may reject the mail.
   */
  state: ServiceMailStateName;
  /**
   * Whether the installation signs with its own keys (always so for hosted domains) or with copies of a project's keys. Null if the
   * installation has no keys for the domain.
   */
  keys: 'own' | 'copied' | null;
  /** When sending will stop unless the records are restored. Null if sending will not stop. */
  stopsAt: Date | null;
  /** The time of the next check of the records; null if no check is scheduled. */
  nextCheckAt: Date | null;
  /** uuid of the installation's domain; null if the installation does not have the domain. */
  domainId: string | null;
}

/**
 * @param name A-labels, lower case
 * @param trustsManualVerification see `maySend`
 */
export async function readServiceMailState(
  database: Database,
  name: string,
  trustsManualVerification: boolean,
): Promise<ServiceMailState> {
  const found = await database
    .selectFrom('domains')
    .leftJoin('serviceDomains as s', (join) =>
      join.onRef('s.projectId', '=', 'domains.projectId').onRef('s.domainId', '=', 'domains.id'),
    )
    .select(['domains.id', 'domains.status', 'domains.warningSince', 'domains.nextCheckAt', 's.hasOwnKeys'])
    .select(maySend(trustsManualVerification).as('maySend'))
    .where((row) => rowIs(row, { 'domains.projectId': HOSTED_PROJECT_ID, 'domains.name': name }))
    .executeTakeFirst();
  if (found === undefined) {
    const state = (await hasClaim(database, name, trustsManualVerification)) ? 'ready' : 'stopped';
    return { state, keys: null, stopsAt: null, nextCheckAt: null, domainId: null };
  }
  const { id: domainId, status, warningSince, nextCheckAt } = found;
  if (found.hasOwnKeys === false) {
    const state = (await isClaimLost(database, domainId, trustsManualVerification)) ? 'at_risk' : 'ready';
    return { state, keys: 'copied', stopsAt: null, nextCheckAt, domainId };
  }
  const own = { keys: 'own', nextCheckAt, domainId } as const;
  if (!found.maySend) return { ...own, state: 'stopped', stopsAt: null };
  if (status !== 'warning' || warningSince === null) return { ...own, state: 'ready', stopsAt: null };
  return { ...own, state: 'at_risk', stopsAt: new Date(warningSince.getTime() + WARNING_MS) };
}

/** The state of the domain that service mail is sent from since the latest start; null if no start has recorded a domain. */
export async function readStateOfSender(
  database: Database,
  config: { environment: 'development' | 'production' },
): Promise<ServiceMailStateName | null> {
  const domain = await readServiceMailDomain(database);
  if (domain === null) return null;
  return (await readServiceMailState(database, domain, trustsManualVerification(config))).state;
}

/** Whether some project may send from the domain. If so, the next start or the next service mail copies the project's keys. */
async function hasClaim(
  database: Database,
  name: string,
  trustsManualVerification: boolean,
): Promise<boolean> {
  const claim = await database
    .selectFrom('domains')
    .select('id')
    .where('name', '=', name)
    .where(maySend(trustsManualVerification))
    .limit(1)
    .executeTakeFirst();
  return claim !== undefined;
}

/**
 * Whether the DKIM keys of the service domain were copied from a project's domain that has since lost its DNS records. False if no project
 * has these keys any more, for example after a rotation: in that case only a DNS query could show whether the records of the copied keys
 * still exist.
 */
async function isClaimLost(
  database: Database,
  domainId: string,
  trustsManualVerification: boolean,
): Promise<boolean> {
  const { rows } = await sql`
    select from domains own
    join domains on domains.name = own.name and domains.project_id <> own.project_id
    join dkim_keys k on k.project_id = domains.project_id and k.domain_id = domains.id
    join dkim_keys copy on copy.project_id = own.project_id and copy.domain_id = own.id and copy.public_key = k.public_key
    where own.project_id = ${HOSTED_PROJECT_ID}::uuid and own.id = ${domainId}
      and (domains.status = 'warning' or not ${maySend(trustsManualVerification)})
    limit 1`.execute(database);
  return rows.length > 0;
}
