/** Deletes webhook deliveries. */
import { sql } from 'kysely';
import { columnsOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { NIL_UUID } from '../model/ids.ts';
import { among, BATCH, type DeletionJob } from './deleting.ts';

const DELIVERY_ID = columnsOf({ id: 'uuid' });

export interface LogKey {
  projectId: string;
  webhookId: string;
}

/** `over`: only finished deliveries, which are what the log contains. `all`: also deliveries that are pending. */
export type WhichDeliveries = 'over' | 'all';

/** Deletes deliveries of a webhook, oldest first. @param before only deliveries before this id are deleted; null for all deliveries */
export async function* deletingLog(
  database: Database,
  { projectId, webhookId }: LogKey,
  which: WhichDeliveries,
  before: string | null,
): DeletionJob {
  for (let after = NIL_UUID; ; ) {
    const isInRange = sql`
      project_id = ${projectId} and webhook_id = ${webhookId} and id > ${after} and (${before}::uuid is null or id < ${before})`;
    const { rows } = await DELIVERY_ID.sql`
      select id from (
        ${
          which === 'over'
            ? sql`select id from deliveries where ${isInRange}`
            : sql`select id from deliveries where ${isInRange} union all select id from due_deliveries where ${isInRange}`
        }
      ) meant
      order by id limit ${BATCH}`.execute(database);
    const last = rows.at(-1);
    if (last === undefined) return;
    const ids = rows.map(({ id }) => id);
    await deleteDeliveries(database, { projectId, webhookId }, ids, which);
    yield ids.length;
    after = last.id;
  }
}

export async function deleteDeliveries(
  database: Database,
  { projectId, webhookId }: LogKey,
  ids: readonly string[],
  which: WhichDeliveries,
): Promise<void> {
  // Delete pending deliveries first. One that finishes in the meantime is moved to the log, and deleted there by the next statement.
  if (which === 'all')
    await database
      .deleteFrom('dueDeliveries')
      .where('projectId', '=', projectId)
      .where('id', '=', among(ids))
      .execute();
  await database
    .deleteFrom('deliveries')
    .where('projectId', '=', projectId)
    .where('webhookId', '=', webhookId)
    .where('id', '=', among(ids))
    .execute();
}
