import { setTimeout as sleep } from 'node:timers/promises';
import { EMAIL_STAGES, type EmailStage } from '../../src/model/email-status.ts';
import { firstUuidAt } from '../../src/model/ids.ts';
import type { Product } from './product.ts';

const POLL_MS = 10;

/**
 * Resolves once every email of the product has reached the stage.
 * @param since emails created before this time do not count
 * @throws Error after the timeout, or if an email has failed
 */
export async function waitForStage(
  product: Product,
  stage: EmailStage,
  timeoutMs: number,
  since = new Date(0),
): Promise<void> {
  const until = Date.now() + timeoutMs;
  for (;;) {
    const [row] = await product.query<{ before: number; failed: number }>(`
      select count(*) filter (where case when reached < ${EMAIL_STAGES.indexOf('sent')} then reached else status end < ${EMAIL_STAGES.indexOf(stage)})::int as before,
             count(*) filter (where status >= ${EMAIL_STAGES.indexOf('failed')})::int as failed
      from projects p join emails e on e.project_id = p.id and e.id >= '${firstUuidAt(since)}'`);
    if (row === undefined || row.failed > 0) throw new Error(`${row?.failed} emails failed`);
    if (row.before === 0) return;
    if (Date.now() > until) throw new Error(`${row.before} emails do not have status ${stage}`);
    await sleep(POLL_MS);
  }
}
