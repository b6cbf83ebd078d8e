import { type Command, Option } from 'commander';
import type { SuppressionList } from '../contract/suppressions.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { SUPPRESSION_REASONS, type SuppressionReason } from '../model/suppression-reasons.ts';
import { Suppressions } from '../sending/suppress/suppressions.ts';
import { example, json, print, projectOption, type ProjectOptions, withProject } from './command.ts';

export function defineSuppression(suppression: Command): void {
  suppression
    .command('list')
    .description('the suppression list of a project, one address a line')
    .addOption(projectOption('the project'))
    .addOption(json)
    .addHelpText('after', example('suppression list --project default'))
    .action(listSuppressions);
  suppression
    .command('add')
    .description('send no more mail to an address')
    .addOption(projectOption('the project'))
    .requiredOption('--address <address>', 'the address')
    .addOption(new Option('--reason <reason>', 'why').choices(SUPPRESSION_REASONS).default('manual'))
    .option(
      '--expires <time>',
      'when the entry ends: 2027-01-31 or 2027-01-31T12:00:00Z; without this option, never',
    )
    .addOption(json)
    .addHelpText(
      'after',
      example('suppression add --project default --address ann@dst.example --reason unsubscribe'),
    )
    .action(addSuppression);
  suppression
    .command('remove')
    .description('send mail to an address again')
    .addOption(projectOption('the project'))
    .requiredOption('--address <address>', 'the address')
    .addOption(json)
    .addHelpText('after', example('suppression remove --project default --address ann@dst.example'))
    .action(removeSuppression);
}

const PAGE = 1_000;

/** Prints one entry a line, newest first. */
async function listSuppressions(options: ProjectOptions): Promise<void> {
  await withProject(options.project, async (database, projectId) => {
    const suppressions = new Suppressions(database);
    let cursor: string | null = null;
    do {
      const page: SuppressionList = await suppressions.list(projectId, {
        limit: PAGE,
        ...(cursor !== null && { cursor }),
      });
      for (const entry of page.data) {
        const { address, reason, created_at, expires_at } = entry;
        print(options.json, entry, [address, reason, created_at, expires_at ?? 'for good'].join('\t'));
      }
      cursor = page.next_cursor;
    } while (cursor !== null);
  });
}

interface AddOptions extends ProjectOptions {
  address: string;
  reason: SuppressionReason;
  expires?: string;
}

/** Prints the entry that now stands: one that was there before, if it is stronger. */
async function addSuppression({ project, address, reason, expires, json }: AddOptions): Promise<void> {
  const expiresAt = expires === undefined ? null : new Date(expires);
  if (Number.isNaN(expiresAt?.getTime())) {
    throw validationError({ expires: 'must be a date or a time: 2027-01-31 or 2027-01-31T12:00:00Z' });
  }
  await withProject(project, async (database, projectId) => {
    const { data } = await new Suppressions(database).add(projectId, {
      ...{ addresses: [address], reason },
      ...(expiresAt !== null && { expires_at: expiresAt.toISOString() }),
    });
    for (const entry of data) print(json, entry);
  });
}

async function removeSuppression(options: ProjectOptions & { address: string }): Promise<void> {
  const { project, address } = options;
  await withProject(project, async (database, projectId) => {
    const removed = await new Suppressions(database).remove(projectId, [address]);
    if (removed.length === 0) {
      throw new AppError(
        'not-found',
        `The address is not on the suppression list of the project ${project}.`,
      );
    }
    print(options.json, { address, removed: true }, 'removed: mail goes there again');
  });
}
