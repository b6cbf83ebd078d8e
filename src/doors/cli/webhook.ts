import { type Command, InvalidArgumentError, Option } from 'commander';
import { replayDelivery } from '../../webhooks/replay/replay-delivery.ts';
import { rotateSecret } from '../../webhooks/rotation.ts';
import {
  example,
  idFrom,
  json,
  noSuch,
  print,
  projectOption,
  type ProjectOptions,
  withProject,
} from './command.ts';
import { addDeclared } from './declared.ts';

/** One week. The limit exists because the old secret may have leaked. */
const MAX_HOURS = 168;

export function defineWebhook(webhook: Command): void {
  addDeclared(webhook);
  webhook
    .command('rotate-secret')
    .description(
      'create a new signing secret, shown once; for 24 hours, deliveries are signed with both secrets',
    )
    .addOption(projectOption('the project of the webhook'))
    .requiredOption('--id <id>', 'the id of the webhook: wh_...')
    .addOption(
      new Option('--hours <hours>', `hours during which the old secret also signs, 1 to ${MAX_HOURS}`)
        .argParser(hoursFrom)
        .default(24),
    )
    .addOption(new Option('--now', 'replace the old secret immediately').conflicts('hours'))
    .addOption(json)
    .addHelpText(
      'after',
      example('webhook rotate-secret --project default --id wh_01M7T5C5R3ED1R4CWSVK7YRETV'),
    )
    .action(rotateWebhookSecret);
  webhook
    .command('replay')
    .description('replay a failed delivery, with a full set of attempts')
    .addOption(projectOption('the project of the delivery'))
    .requiredOption('--delivery <id>', 'the id of the delivery: dlv_...')
    .addOption(json)
    .addHelpText(
      'after',
      example('webhook replay --project default --delivery dlv_01KAGK5RB6P1K8W4Y0G5J3N7SB'),
    )
    .action(replayWebhook);
}

/** Rotates a signing secret. Only this command and the dashboard can do so (docs/contract.md, Signatures). */
async function rotateWebhookSecret({
  project,
  id,
  hours,
  now,
  json,
}: ProjectOptions & { id: string; hours: number; now?: true }): Promise<void> {
  await withProject(project, async (core, projectId) => {
    const sealer = await core.unseal();
    const rotated = await rotateSecret(core.database, sealer, projectId, idFrom('wh', id), now ? 0 : hours);
    if (rotated === null) throw noSuch(project, 'webhook');
    const { secret, previousUntil } = rotated;
    print(json, { id, secret, previous_secret_until: previousUntil?.toISOString() ?? null });
  });
}

function hoursFrom(text: string): number {
  const hours = Number(text);
  if (/^\d{1,3}$/.test(text) && hours >= 1 && hours <= MAX_HOURS) return hours;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_HOURS}.`);
}

async function replayWebhook({
  project,
  delivery,
  json,
}: ProjectOptions & { delivery: string }): Promise<void> {
  await withProject(project, async ({ database }, projectId) => {
    await replayDelivery(database, projectId, idFrom('dlv', delivery));
    print(json, { id: delivery, status: 'pending' }, 'The delivery is queued again.');
  });
}
