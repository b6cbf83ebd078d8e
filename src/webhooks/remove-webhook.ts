import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { NIL_UUID } from '../model/ids.ts';

const ROWS_A_STATEMENT = 10_000;

/**
 * Removes a webhook with all its deliveries; false when the project has no such webhook. It is disabled first, and its own
 * row goes last: a removal that breaks off can be repeated, and leaves no rows without an owner.
 */
export async function removeWebhook(
  database: Database,
  projectId: string,
  webhookId: string,
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('webhooks')
    .set({ enabled: false })
    .where('projectId', '=', projectId)
    .where('id', '=', webhookId)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await removeDeliveries(database, projectId, webhookId);
  await database.transaction().execute(async (tx) => {
    await tx.deleteFrom('webhooks').where('projectId', '=', projectId).where('id', '=', webhookId).execute();
    await removeDeliveries(tx, projectId, webhookId);
  });
  return true;
}

async function removeDeliveries(
  database: Database | DatabaseTransaction,
  projectId: string,
  webhookId: string,
): Promise<void> {
  for (let after: string | undefined = NIL_UUID; after !== undefined; ) {
    const { rows }: { rows: { id: string }[] } = await sql<{ id: string }>`
      with old as materialized (
        select id from webhook_deliveries
        where project_id = ${projectId} and webhook_id = ${webhookId} and id > ${after}
        order by id limit ${ROWS_A_STATEMENT}
      ), gone as (
        -- Not joined: without statistics the planner would compare every row of the webhook with every row of "old".
        delete from webhook_deliveries d
        where d.project_id = ${projectId} and d.webhook_id = ${webhookId} and d.id = any (array(select id from old))
      )
      select id from old order by id desc limit 1`.execute(database);
    after = rows[0]?.id;
  }
}
