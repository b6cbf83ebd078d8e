/**
 * The column `emails.status`, from which an index finds the emails with a status.
 *
 * An update that changes an indexed column rewrites the row's entry in every index. Most emails reach the same status: `sent` with a smart
 * host, `delivered` with direct delivery. The column therefore has that status from the beginning, and the updates until then leave it
 * unchanged. Until the email has been sent, its status is `reached`, which no index contains, and its recipients have rows in the queue.
 * (docs/decisions/0129-the-usual-status.md)
 */
import { type RawBuilder, sql } from 'kysely';
import { rankOf } from '../../model/email-status.ts';
import { USUAL_STATUS } from '../../queue/usual-status.ts';

const SENT = sql.lit(rankOf('sent'));
const DELIVERED = sql.lit(rankOf('delivered'));

/** SQL value: `status` of a new email. */
export const STATUS_OF_NEW = sql<number>`coalesce(${USUAL_STATUS}, 0::int2)`;

/** Condition on a row `e` of `emails`: its status is `queued` or `sending`, whatever `status` is. */
export const IS_UNSENT = sql<boolean>`(
  e.reached < ${SENT} and 0 = any (e.stages) and not ${DELIVERED} < any (e.stages))`;

/** The status of a row `e` of `emails`. */
export const STATUS = sql<number>`case when ${IS_UNSENT} then e.reached else e.status end`;

/**
 * SQL value: the column `status` after a change.
 * @param before the column before the change
 * @param status the status after the change
 */
export function storedStatus(before: RawBuilder<number>, status: RawBuilder<number>): RawBuilder<number> {
  return sql`case when ${status} < ${SENT} and ${before} >= ${SENT} then ${before} else ${status} end`;
}
