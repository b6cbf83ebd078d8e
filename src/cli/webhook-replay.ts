import { findProjectByName } from '../accounts/projects.ts';
import { AppError } from '../model/app-error.ts';
import { decodeId } from '../model/ids.ts';
import { replayDelivery } from '../webhooks/replay-delivery.ts';
import { withDatabase } from './with-database.ts';

export async function replayWebhook(options: { project: string; delivery: string }): Promise<void> {
  await withDatabase(async (database) => {
    const projectId = await findProjectByName(database, options.project);
    const deliveryId = decodeId('dlv', options.delivery);
    if (deliveryId === null) throw new AppError('not-found', 'There is no such delivery in this project.');
    await replayDelivery(database, projectId, deliveryId);
    process.stdout.write('the delivery is due again\n');
  });
}
