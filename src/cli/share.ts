import { Command } from 'commander';
import { findProjectByName } from '../accounts/projects.ts';
import { shareDirectory, unshareDirectory } from '../directory/shares.ts';
import { AppError } from '../model/app-error.ts';
import { json, print, type ProjectOptions, projectOption, withProject } from './command.ts';

export const share = new Command('share').description('directories shared between projects');
share
  .command('create')
  .description('let another project of the organisation see the directory of a project')
  .addOption(projectOption('the project whose people are shared'))
  .requiredOption('--to <name>', 'the project that sees them')
  .addOption(json)
  .action(createShare);
share
  .command('remove')
  .description('end a share')
  .addOption(projectOption('the project whose people are shared'))
  .requiredOption('--to <name>', 'the project that sees them')
  .action(removeShare);

type ShareOptions = ProjectOptions & { to: string };

async function createShare({ project, to, json }: ShareOptions): Promise<void> {
  await withProject(project, async (database, projectId) => {
    const id = await shareDirectory(database, projectId, await findProjectByName(database, to));
    print(json, { id, project, to });
  });
}

async function removeShare({ project, to }: ShareOptions): Promise<void> {
  await withProject(project, async (database, projectId) => {
    if (!(await unshareDirectory(database, projectId, await findProjectByName(database, to))))
      throw new AppError('not-found', `The directory of ${project} is not shared with ${to}.`);
    process.stdout.write('removed\n');
  });
}
