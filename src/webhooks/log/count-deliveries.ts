/** Counts the deliveries of a webhook by status, with the conditions of their list, so that a number has as many rows as it says. */
import { sql } from 'kysely';
import type { DeliveryCount, DeliveryCounts } from '../../contract/dashboard/webhooks.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { firstUuidAt } from '../../model/ids.ts';
import type { WebhookKey } from '../deliver/claim-deliveries.ts';

/** Counting stops at this number. Each count reads an index, never the deliveries themselves, which are wide. */
const MAX_COUNTED = 50_000;

const COUNTED = columnsOf({
  pending: 'int4',
  morePending: 'bool',
  logged: 'int4',
  /** Failed deliveries among `logged`. */
  failedLogged: 'int4',
  failed: 'int4',
});

/** @param since the earliest event @param most for tests: default `MAX_COUNTED` */
export async function countDeliveries(
  database: Database,
  { projectId, webhookId }: WebhookKey,
  since: Date,
  most = MAX_COUNTED,
): Promise<DeliveryCounts> {
  const fromId = firstUuidAt(since);
  const limit = sql.lit(most + 1);
  // One statement, so that a delivery that ends in the meantime is counted once. No index finds delivered rows: they are the rest.
  const { rows } = await COUNTED.sql`
    with due as materialized (
      select id from due_deliveries where webhook_id = ${webhookId} and project_id = ${projectId}
      order by next_attempt_at, event_id limit ${limit}
    ), logged as materialized (
      select id from deliveries where project_id = ${projectId} and webhook_id = ${webhookId} and id >= ${fromId}
      order by id desc limit ${limit}
    ), failed as materialized (
      select id from deliveries
      where project_id = ${projectId} and webhook_id = ${webhookId} and id >= ${fromId} and status = 'failed'
      order by id desc limit ${limit}
    )
    select (select count(*)::int from due where id >= ${fromId}) as pending,
      (select count(*) > ${most}::int from due) as more_pending,
      (select count(*)::int from logged) as logged,
      (select count(*)::int from failed where id >= (select id from logged order by id limit 1)) as failed_logged,
      (select count(*)::int from failed) as failed`.execute(database);
  const [row] = rows;
  if (row === undefined) throw new TypeError('the count of deliveries returned no row');
  const upTo = (count: number, hasMore: boolean): DeliveryCount => ({
    count: Math.min(count, most),
    has_more: hasMore,
  });
  return {
    pending: upTo(row.pending, row.morePending),
    delivered: upTo(row.logged - row.failedLogged, row.logged > most),
    failed: upTo(row.failed, row.failed > most),
  };
}
