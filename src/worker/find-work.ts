/**
 * Finds out what a worker has to do. One statement answers for all parts of the worker, because each statement is a commit, and a part that
 * polls by itself costs one commit per second in every worker of an installation that does nothing.
 */
import { sql } from 'kysely';
import { textArray } from '../db/arrays.ts';
import { columnsOf, type RowOf, shaped } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { hasDueDomains } from '../domains/check-schedule.ts';
import { findingDueRows, HAS_DUE_POISON } from '../queue/claim.ts';
import { hasDeadClaims } from '../queue/dead-claims.ts';
import { HAS_DUE_DESTINATIONS } from '../queue/destinations.ts';
import { hasExpiredLeases } from '../queue/end-lease.ts';
import { PAUSE_SETTINGS } from '../queue/pause.ts';
import { DESTINATION_HOLDS, type DestinationHold } from '../queue/paused-destinations.ts';
import { PROVIDER_SETTINGS } from '../queue/provider-kind.ts';
import { mayHaveDueNotices } from '../sending/notices/find-notices.ts';
import { findingDueWebhooks } from '../webhooks/deliver/find-due.ts';
import { HAS_REPLAYS } from '../webhooks/replay/feed-replay.ts';
import { hasDueMessages } from '../webmail/write/outgoing-sender.ts';

const WORK = columnsOf({
  /** The values of `PAUSE_SETTINGS` and `PROVIDER_SETTINGS`, by name. */
  settings: shaped<Readonly<Record<string, string>>>('json'),
  holds: shaped<readonly DestinationHold[]>('json'),
  hasDueRows: 'bool',
  hasDuePoison: 'bool',
  hasDueDestinations: 'bool',
  hasDueWebhooks: 'bool',
  hasReplays: 'bool',
  hasDueDomains: 'bool',
  hasDueNotices: 'bool',
  hasDueMessages: 'bool',
  hasDeadClaims: 'bool',
  hasExpiredLeases: 'bool',
});

/** What a worker has to do now. */
export type Work = RowOf<typeof WORK>;

/**
 * Each condition is one probe of an index. A condition may be true without any work, but it is never false while there is work.
 * @param living ids of the living processes; null if they are unknown
 */
export async function findWork(database: Database, living: readonly string[] | null): Promise<Work | null> {
  const rows = findingDueRows();
  const webhooks = findingDueWebhooks();
  const found = await WORK.sql`
    with recursive ${rows.sql}, ${webhooks.sql}
    select
      (select coalesce(json_object_agg(name, value), '{}') from settings
       where name = any(${textArray([...PAUSE_SETTINGS, ...PROVIDER_SETTINGS])}::text[])) as settings,
      ${DESTINATION_HOLDS} as holds,
      (select are_due from ${rows.name}) as has_due_rows,
      ${HAS_DUE_POISON} as has_due_poison,
      ${HAS_DUE_DESTINATIONS} as has_due_destinations,
      (select are_due from ${webhooks.name}) as has_due_webhooks,
      ${HAS_REPLAYS} as has_replays,
      ${hasDueDomains()} as has_due_domains,
      ${mayHaveDueNotices()} as has_due_notices,
      ${hasDueMessages()} as has_due_messages,
      ${living === null ? sql`false` : hasDeadClaims(living)} as has_dead_claims,
      ${hasExpiredLeases()} as has_expired_leases`.execute(database);
  return found.rows[0] ?? null;
}
