/**
 * Whether a claim was ever verified. Unlike `domains.verified_at`, this stays true when the claim loses its records or its name. A domain
 * that is removed and added again is a new claim.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { HOSTED_PROJECT_ID } from './hosted.ts';

/**
 * SQL that is true for the hosted domain, and for a claim that is or was verified through DNS. The row of `domains` must have the alias
 * `d`.
 * @param trustsManualVerification whether to include claims that were verified manually. False in production (`trustsManualVerification` in
 * sending-domains.ts)
 */
export function wasEverVerified(trustsManualVerification: boolean): RawBuilder<boolean> {
  const byHand = sql`
    or exists (select from domains_verified_by_hand h where h.project_id = d.project_id and h.domain_id = d.id)`;
  // Check `domains.verified_at` too, because workers of earlier versions verify claims without writing to `domains_first_verified`.
  return sql<boolean>`(
    d.project_id = ${HOSTED_PROJECT_ID}::uuid or d.status in ('verified', 'warning')
    or exists (select from domains_first_verified v where v.project_id = d.project_id and v.domain_id = d.id)
    ${trustsManualVerification ? byHand : sql``})`;
}

/**
 * Records that a check verified a claim. If the claim was verified before, the time of its first verification does not change. @param
 * seenAt the time of the check
 */
export async function noteVerified(
  database: Database | DatabaseTransaction,
  { projectId, id }: { projectId: string; id: string },
  verifiedAt: Date,
  seenAt: Date = verifiedAt,
): Promise<void> {
  await database
    .insertInto('domainsFirstVerified')
    .values({ projectId, domainId: id, verifiedAt, lastVerifiedAt: seenAt })
    .onConflict((conflict) =>
      conflict.columns(['projectId', 'domainId']).doUpdateSet({ lastVerifiedAt: seenAt }),
    )
    .execute();
}
