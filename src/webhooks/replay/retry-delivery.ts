import { sql } from 'kysely';
import { recordChange } from '../../accounts/audit.ts';
import type { Database } from '../../db/database.ts';
import { AppError } from '../../model/app-error.ts';
import { encodeId } from '../../model/ids.ts';
import type { DeliveryDetail } from '../../contract/dashboard/webhooks.ts';

/**
 * Makes a pending delivery due now. A delivery that is due already, or whose attempt is in progress, is not changed, so repeating the
 * request sends nothing twice. If a worker died during the attempt, the delivery is due at the end of the claim anyway: that the lease is
 * gone does not show that the worker is, which may have a response that is not written yet.
 * @param found the delivery that the caller sees
 * @throws AppError bad-request for a delivery that has failed
 */
export async function retryDelivery(
  database: Database,
  projectId: string,
  deliveryId: string,
  found: Pick<DeliveryDetail, 'status'>,
): Promise<void> {
  if (found.status === 'failed')
    throw new AppError('bad-request', 'This delivery has failed, so it has no further attempts. Replay it.');
  await database.transaction().execute(async (tx) => {
    // The clock and not now(): a request that waited for another one must see that the delivery is due.
    const { numAffectedRows } = await sql`
      update due_deliveries d set next_attempt_at = now()
      where d.project_id = ${projectId} and d.id = ${deliveryId} and d.next_attempt_at > clock_timestamp()
        and d.lease_id is null
        and exists (select from webhooks w where w.project_id = d.project_id and w.id = d.webhook_id and w.enabled)`.execute(
      tx,
    );
    if (numAffectedRows === 1n)
      await recordChange(tx, {
        of: { projectId },
        action: 'webhook.retry-delivery',
        target: encodeId('dlv', deliveryId),
      });
  });
}
