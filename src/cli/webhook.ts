import { Command } from 'commander';
import { replayDelivery } from '../webhooks/replay-delivery.ts';
import { rotateSecret } from '../webhooks/secret.ts';
import {
  idFrom,
  json,
  noSuch,
  openSealer,
  print,
  type ProjectOptions,
  projectOption,
  withProject,
} from './command.ts';

export const webhook = new Command('webhook').description('webhooks');
webhook
  .command('rotate-secret')
  .description('make a new signing secret, shown once; for 24 hours the old one still signs, too')
  .addOption(projectOption('the project of the webhook'))
  .requiredOption('--id <id>', 'the id of the webhook: wh_...')
  .addOption(json)
  .action(rotateWebhookSecret);
webhook
  .command('replay')
  .description('send a failed delivery again, with all its attempts')
  .addOption(projectOption('the project of the delivery'))
  .requiredOption('--delivery <id>', 'the id of the delivery: dlv_...')
  .action(replayWebhook);

/** The dashboard and this are the only places where a secret is made anew (docs/contract.md, Signatures). */
async function rotateWebhookSecret({ project, id, json }: ProjectOptions & { id: string }): Promise<void> {
  await withProject(project, async (database, projectId, config) => {
    const sealer = await openSealer(database, config);
    const rotated = await rotateSecret(database, sealer, projectId, idFrom('wh', id));
    if (rotated === null) throw noSuch(project, 'webhook');
    const { secret, previousUntil } = rotated;
    print(json, { id, secret, previous_secret_until: previousUntil.toISOString() });
  });
}

async function replayWebhook({ project, delivery }: ProjectOptions & { delivery: string }): Promise<void> {
  await withProject(project, async (database, projectId) => {
    await replayDelivery(database, projectId, idFrom('dlv', delivery));
    process.stdout.write('the delivery is due again\n');
  });
}
