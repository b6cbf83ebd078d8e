/** Leaves out the hours in which nothing is pending any more from a search for what is pending. No index finds the few pending emails. */
import { columnsOf } from '../../db/columns.ts';
import type { Read } from '../../db/fair-reads.ts';
import * as clock from '../../model/clock.ts';
import { HOUR_MS } from '../../model/day.ts';
import { firstUuidAt, timeOf } from '../../model/ids.ts';
import type { Range } from '../../sending/read/find-emails.ts';
import { TIMINGS } from '../counts/timings.ts';

/** Reading so many emails takes about as long as the statements for a further range. */
const LEAST_EMAILS = 5_000;

const SETTLED = columnsOf({ hour: 'timestamptz', emails: 'int4' });

/**
 * The parts of a range, newest first, that contain all of its pending emails. An hour gets no emails once it is over, and an outcome
 * changes back only if a user retries an email that failed with the reason `internal`, so a count of the worker that found nothing pending
 * is still true. A retried email appears when its hour is counted again. Uncounted hours are not left out.
 */
export async function pendingRanges(read: Read, projectId: string, range: Range): Promise<Range[]> {
  const since = timeOf(range.from);
  const until = new Date(Math.min(timeOf(range.before).getTime(), clock.nowMs()) - HOUR_MS);
  // A count lacks emails if it was made so soon after the hour that a transaction with an email was still open.
  const { rows } = await read((database) =>
    SETTLED.sql`
      select hour, emails from email_counts
      where project_id = ${projectId} and hour >= ${since} and hour <= ${until} and recipients = delivered + failed + bounced
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
