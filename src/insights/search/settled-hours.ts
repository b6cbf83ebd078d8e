/**
 * Leaves out the hours that cannot contain a match, by the counts of the worker, from a search for pending emails or for a mailbox provider.
 * No index finds these emails.
 */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf } from '../../db/columns.ts';
import type { Read } from '../../db/fair-reads.ts';
import * as clock from '../../model/clock.ts';
import { HOUR_MS } from '../../model/day.ts';
import { firstUuidAt, timeOf } from '../../model/ids.ts';
import type { Range } from '../../sending/read/find-emails.ts';
import { OTHER_PROVIDERS } from '../counts/mailbox-providers.ts';
import { TIMINGS } from '../counts/timings.ts';
import type { NumberTerms } from './number-filters.ts';

/** Reading so many emails takes about as long as the statements for a further range. */
const LEAST_EMAILS = 5_000;

const NOTHING_PENDING = sql<boolean>`recipients = delivered + failed + bounced`;

/** The counts of an hour by provider are deleted some weeks later, together with its total. */
function nothingAt(provider: string): RawBuilder<boolean> {
  const ofHour = sql`email_metrics m where m.project_id = c.project_id and m.span = 'hour' and m.begins_at = c.hour`;
  const value =
    provider === OTHER_PROVIDERS ? sql`m.is_rest` : sql`not m.is_rest and lower(m.value) = ${provider}`;
  return sql`(
    c.metrics_at is not null and exists (select from ${ofHour} and m.dimension = 'all')
    and not exists (select from ${ofHour} and m.dimension = 'provider' and ${value} and m.recipients > 0))`;
}

const SETTLED = columnsOf({ hour: 'timestamptz', emails: 'int4' });

/**
 * The parts of a range, newest first, that contain all of its matches. An hour gets no emails once it is over, so a count of the worker stays
 * true. An outcome changes back to pending only if a user retries an email that failed with the reason `internal`. Such an email appears
 * when its hour is counted again. Uncounted hours are not left out.
 */
export async function rangesWithMatches(
  read: Read,
  projectId: string,
  terms: Pick<NumberTerms, 'outcome' | 'provider'>,
  range: Range,
): Promise<Range[]> {
  const { outcome, provider } = terms;
  const settled = [
    ...(outcome === 'pending' ? [NOTHING_PENDING] : []),
    ...(provider === null ? [] : [nothingAt(provider)]),
  ];
  if (settled.length === 0) return [range];
  const since = timeOf(range.from);
  const until = new Date(Math.min(timeOf(range.before).getTime(), clock.nowMs()) - HOUR_MS);
  // A count lacks emails if it was made so soon after the hour that a transaction with an email was still open.
  const { rows } = await read((database) =>
    SETTLED.sql`
      select hour, emails from email_counts c
      where project_id = ${projectId} and hour >= ${since} and hour <= ${until} and (${sql.join(settled, sql` or `)})
        and counted_at >= hour + interval '1 hour' + ${TIMINGS.recountAfterMs} * interval '1 millisecond'
      order by hour desc`.execute(database),
  );
  const blocks: { since: number; until: number; emails: number }[] = [];
  for (const { hour, emails } of rows) {
    const begin = hour.getTime();
    const later = blocks.at(-1);
    if (later?.since === begin + HOUR_MS) {
      later.since = begin;
      later.emails += emails;
    } else blocks.push({ since: begin, until: begin + HOUR_MS, emails });
  }
  const parts: Range[] = [];
  let { before } = range;
  for (const block of blocks) {
    if (block.emails < LEAST_EMAILS) continue;
    parts.push({ before, from: firstUuidAt(new Date(block.until)) });
    before = firstUuidAt(new Date(block.since));
  }
  parts.push({ before, from: range.from });
  return parts.filter((part) => part.from < part.before);
}
