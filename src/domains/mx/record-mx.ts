/** Reads and writes the known MX records of a claim (`domain_mx`). */
import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import type { DnsAnswer, MxRecord } from '../../net/dns.ts';
import type { RecordCheck } from '../judge-record.ts';
import { mxStateAfter, pointsHere, type MxState, UNKNOWN_MX } from './mx-state.ts';

/** Identifies a claim. */
export interface MxClaim {
  projectId: string;
  id: string;
  /** A-labels, lower case. */
  name: string;
}

/** The hosts that receive mail for this installation: its own hosts, and the claim's gateways. */
export function hostsOfClaim(
  ownHosts: readonly string[],
  gateways: readonly string[] | null,
): ReadonlySet<string> {
  return new Set([...ownHosts, ...(gateways ?? [])]);
}

export async function readMx(
  database: Database | DatabaseTransaction,
  { projectId, id }: Pick<MxClaim, 'projectId' | 'id'>,
): Promise<MxState & { gateways: readonly string[] }> {
  const row = await database
    .selectFrom('domainMx')
    .select(['hosts', 'askedAt', 'answeredAt', 'hereAt', 'elsewhereSince', 'gateways'])
    .where('projectId', '=', projectId)
    .where('domainId', '=', id)
    .executeTakeFirst();
  return row ?? { ...UNKNOWN_MX, gateways: [] };
}

/**
 * Records a DNS answer and returns the new state. An older answer never replaces a newer one. If the query failed, the last definite answer
 * stays. Nothing is recorded if the claim was deleted.
 * @param ownHosts the hosts of this installation
 */
export async function recordMx(
  database: Database | DatabaseTransaction,
  claim: MxClaim,
  ownHosts: readonly string[],
  answer: DnsAnswer<MxRecord>,
  askedAt: Date,
): Promise<MxState> {
  const { gateways, ...before } = await readMx(database, claim);
  if (before.askedAt !== null && before.askedAt > askedAt) return before;
  const hosts = answer.outcome === 'found' ? answer.records : [];
  const isHere = pointsHere(claim.name, hosts, hostsOfClaim(ownHosts, gateways));
  const after =
    answer.outcome === 'failed' ? { ...before, askedAt } : mxStateAfter(before, hosts, isHere, askedAt);
  const text = after.hosts === null ? null : JSON.stringify(after.hosts);
  await sql`
    insert into domain_mx as x (project_id, domain_id, hosts, asked_at, answered_at, here_at, elsewhere_since)
    select d.project_id, d.id, ${text}::json, ${after.askedAt}::timestamptz, ${after.answeredAt}::timestamptz,
      ${after.hereAt}::timestamptz, ${after.elsewhereSince}::timestamptz
    from domains d where d.project_id = ${claim.projectId} and d.id = ${claim.id}
    on conflict (project_id, domain_id) do update set hosts = excluded.hosts, asked_at = excluded.asked_at,
      answered_at = excluded.answered_at, here_at = excluded.here_at, elsewhere_since = excluded.elsewhere_since
    where x.asked_at is null or x.asked_at <= excluded.asked_at`.execute(database);
  return after;
}

/** Turns the check of an MX record back into the DNS answer, so that a domain check does not query the MX records twice. */
export function mxAnswerOfCheck({ status, found }: RecordCheck): DnsAnswer<MxRecord> {
  if (status === 'temporary_failure') return { outcome: 'failed', reason: 'no answer' };
  const records = found.flatMap((text) => {
    const [priority = '', exchange = ''] = text.split(' ');
    return [{ priority: Number(priority), exchange: exchange === '.' ? '' : exchange }];
  });
  return { outcome: 'found', records };
}
