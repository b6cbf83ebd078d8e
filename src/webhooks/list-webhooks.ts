import type { WebhookList } from '../contract/webhooks.ts';
import type { Database } from '../db/database.ts';
import { webhookRecord } from './records.ts';

/** The webhooks of a project, oldest first (docs/contract.md, listWebhooks). */
export async function listWebhooks(database: Database, projectId: string): Promise<WebhookList> {
  const rows = await database
    .selectFrom('webhooks')
    .selectAll()
    .where('projectId', '=', projectId)
    .orderBy('id')
    .execute();
  return { data: rows.map(webhookRecord) };
}
