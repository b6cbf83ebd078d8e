/**
 * Finds out what a worker has to do. One statement answers for all parts of the worker, because each statement is a commit, and a part that
 * polls by itself costs one commit per second in every worker of an installation that does nothing.
 */
import { type RawBuilder, sql } from 'kysely';
import { textArray } from '../db/arrays.ts';
import type { SharedStatements } from '../db/shared-statements.ts';
import { hasDueDomains } from '../domains/check-schedule.ts';
import { findingDueRows, HAS_DUE_POISON } from '../queue/claim.ts';
import { hasDeadClaims } from '../queue/dead-claims.ts';
import { HAS_DUE_DESTINATIONS } from '../queue/destinations.ts';
import { hasExpiredLeases } from '../queue/end-lease.ts';
import { PAUSE_SETTINGS } from '../queue/pause.ts';
import { DESTINATION_HOLDS, type DestinationHold } from '../queue/paused-destinations.ts';
import { PROVIDER_SETTINGS } from '../queue/provider-kind.ts';
import { HAS_DUE_COUNTS } from '../insights/counts/email-counter.ts';
import { HAS_OPEN_SEGMENTS } from '../insights/search/segments.ts';
import { hasRejected } from '../sending/locks/sending-records.ts';
import { mayHaveDueNotices } from '../sending/notices/find-notices.ts';
import type { DueRecipients } from '../sending/deliver/delivery.ts';
import { DUE_ROUTES } from '../routes/deliver/route-queue.ts';
import { DUE_WEBHOOKS, findingDue } from '../webhooks/deliver/find-due.ts';
import { HAS_REPLAYS } from '../webhooks/replay/replay-feed.ts';
import { hasDueSnoozes } from '../webmail/act/snoozing.ts';
import { hasDueMessages } from '../webmail/write/outgoing-sender.ts';

/** What a worker has to do now. */
export interface Work extends DueRecipients {
  /** The values of `PAUSE_SETTINGS` and `PROVIDER_SETTINGS`, by name. */
  settings: Readonly<Record<string, string>>;
  holds: readonly DestinationHold[];
  hasDueWebhooks: boolean;
  hasDueRoutes: boolean;
  hasReplays: boolean;
  hasDueDomains: boolean;
  hasDueNotices: boolean;
  hasDueMessages: boolean;
  hasDueSnoozes: boolean;
  hasRejectedMail: boolean;
  hasDueCounts: boolean;
  hasOpenSegments: boolean;
  hasDeadClaims: boolean;
  hasExpiredLeases: boolean;
}

/**
 * Most conditions read the first entry of an index or a table with few rows. Due rows, webhooks and routes take a probe for each stream,
 * webhook and route with pending work, at most as many as a claim or a scan takes.
 *
 * A condition may be true without any work. It is never false while there is work, except for background jobs, whose passes run every minute
 * or two whatever the poll finds.
 * @param living ids of the living processes; null if they are unknown
 */
export async function findWork(shared: SharedStatements, living: readonly string[] | null): Promise<Work> {
  const rows = findingDueRows();
  const webhooks = findingDue(DUE_WEBHOOKS);
  const routes = findingDue(DUE_ROUTES);
  const ctes = (work: RawBuilder<unknown>) => sql`${rows.sql}, ${webhooks.sql}, ${routes.sql}, ${work} as (
    select
      (select coalesce(json_object_agg(name, value), '{}') from settings
       where name = any(${textArray([...PAUSE_SETTINGS, ...PROVIDER_SETTINGS])}::text[])) as settings,
      ${DESTINATION_HOLDS} as holds,
      (select are_due from ${rows.name}) as "hasDueRows",
      ${HAS_DUE_POISON} as "hasDuePoison",
      ${HAS_DUE_DESTINATIONS} as "hasDueDestinations",
      (select are_due from ${webhooks.name}) as "hasDueWebhooks",
      (select are_due from ${routes.name}) as "hasDueRoutes",
      ${HAS_REPLAYS} as "hasReplays",
      ${hasDueDomains()} as "hasDueDomains",
      ${mayHaveDueNotices()} as "hasDueNotices",
      ${hasDueMessages()} as "hasDueMessages",
      ${hasDueSnoozes()} as "hasDueSnoozes",
      ${hasRejected()} as "hasRejectedMail",
      ${HAS_DUE_COUNTS} as "hasDueCounts",
      ${HAS_OPEN_SEGMENTS} as "hasOpenSegments",
      ${living === null ? sql`false` : hasDeadClaims(living)} as "hasDeadClaims",
      ${hasExpiredLeases()} as "hasExpiredLeases"
  )`;
  const value = (work: RawBuilder<unknown>) => sql`(select row_to_json(${work}) from ${work})`;
  return (await shared.run<Work>({ ctes, value }, 0)).value;
}
