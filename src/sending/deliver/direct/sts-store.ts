/** Stores fetched policies in the database. */
import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { StsPolicy } from '../../../rfc/mta-sts/mta-sts.ts';

export interface CachedPolicy {
  policy: StsPolicy;
  /** The id in the DNS record that announced this policy. */
  recordId: string;
  fetchedAtMs: number;
}

/** The number of expired policies that are deleted whenever a policy is stored. */
const FORGOTTEN_AT_ONCE = 10;

export function expiresAtMs({ policy, fetchedAtMs }: CachedPolicy): number {
  return fetchedAtMs + policy.maxAgeSeconds * 1_000;
}

/** Returns the stored policy, even if it has expired. Null if no policy is stored. */
export async function readCachedPolicy(database: Database, domain: string): Promise<CachedPolicy | null> {
  const row = await database
    .selectFrom('mtaStsPolicies')
    .select(['recordId', 'mode', 'mx', 'maxAgeSeconds', 'fetchedAt'])
    .where('domain', '=', domain)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { recordId, mode, mx, maxAgeSeconds, fetchedAt } = row;
  return { policy: { mode, mx, maxAgeSeconds }, recordId, fetchedAtMs: fetchedAt.getTime() };
}

/** Stores a policy unless another process has stored a later one. */
export async function cachePolicy(database: Database, domain: string, kept: CachedPolicy): Promise<void> {
  const { policy, recordId, fetchedAtMs } = kept;
  const expiresAt = new Date(expiresAtMs(kept));
  await sql`
    with expired as (
      delete from mta_sts_policies where domain in (
        select domain from mta_sts_policies
        where expires_at < ${new Date(fetchedAtMs)} and domain <> ${domain}
        order by expires_at limit ${FORGOTTEN_AT_ONCE} for update skip locked
      )
    )
    insert into mta_sts_policies as p
      (domain, record_id, mode, mx, max_age_seconds, fetched_at, expires_at)
    values (${domain}, ${recordId}, ${policy.mode}, ${[...policy.mx]}, ${policy.maxAgeSeconds},
            ${new Date(fetchedAtMs)}, ${expiresAt})
    on conflict (domain) do update set
      record_id = excluded.record_id, mode = excluded.mode, mx = excluded.mx,
      max_age_seconds = excluded.max_age_seconds, fetched_at = excluded.fetched_at,
      expires_at = excluded.expires_at
    where p.fetched_at < excluded.fetched_at`.execute(database);
}
