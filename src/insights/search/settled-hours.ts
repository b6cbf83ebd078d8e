/**
 * Leaves out the hours that cannot contain a match, by the counts of the worker, from a search for pending emails, for a mailbox provider or
 * for opens by people. No index finds these emails.
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

/** The counts of an hour by dimension. They are deleted some weeks later. */
const OF_HOUR = sql`email_metrics m where m.project_id = c.project_id and m.span = 'hour' and m.begins_at = c.hour`;

/** The margin exceeds the time between two notes of an open together with that of the transaction. */
const NOT_OPENED_BY_PEOPLE = sql<boolean>`(
  c.metrics_at is not null and c.person_at < c.counted_at - interval '2 minutes'
  and exists (select from ${OF_HOUR} and m.dimension = 'all' and m.opened_by_people = 0))`;

function nothingAt(provider: string): RawBuilder<boolean> {
  const value =
    provider === OTHER_PROVIDERS ? sql`m.is_rest` : sql`not m.is_rest and lower(m.value) = ${provider}`;
  return sql`(
    c.metrics_at is not null and exists (select from ${OF_HOUR} and m.dimension = 'all')
    and not exists (select from ${OF_HOUR} and m.dimension = 'provider' and ${value} and m.recipients > 0))`;
}

const SETTLED = columnsOf({ hour: 'timestamptz', emails: 'int4' });

/**
 * The parts of a range, newest first, that contain all of its matches. An hour gets no emails once it is over, so a count of the worker stays
 * true. There are two exceptions: an open by a person is noted with the hour, and an email that becomes pending again, because a user
 * retries it after a failure with the reason `internal`, appears when its hour is counted again. Uncounted hours are not left out.
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
    ...(outcome === 'opened-by-people' ? [NOT_OPENED_BY_PEOPLE] : []),
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
