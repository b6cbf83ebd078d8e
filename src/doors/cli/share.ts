import type { Command } from 'commander';
import { findProjectByName } from '../../accounts/projects/projects.ts';
import { shareDirectory, unshareDirectory } from '../../directory/shares.ts';
import { AppError } from '../../model/app-error.ts';
import { example, json, print, projectOption, type ProjectOptions, withProject } from './command.ts';
import { addDeclared } from './declared.ts';

export function defineShare(share: Command): void {
  share
    .command('create')
    .description('share the directory of a project with another project of the organization')
    .addOption(projectOption('the project that owns the directory'))
    .requiredOption('--to <name>', 'the project that can see the directory')
    .addOption(json)
    .addHelpText('after', example('share create --project shop --to newsletter'))
    .action(createShare);
  share
    .command('remove')
    .description('stop sharing the directory of a project')
    .addOption(projectOption('the project that owns the directory'))
    .requiredOption('--to <name>', 'the project that can see the directory')
    .addOption(json)
    .addHelpText('after', example('share remove --project shop --to newsletter'))
    .action(removeShare);
  addDeclared(share);
}

type ShareOptions = ProjectOptions & { to: string };

async function createShare({ project, to, json }: ShareOptions): Promise<void> {
  await withProject(project, async ({ database }, projectId) => {
    const id = await shareDirectory(database, projectId, await findProjectByName(database, to));
    print(json, { id, project, to });
  });
}

async function removeShare({ project, to, json }: ShareOptions): Promise<void> {
  await withProject(project, async ({ database }, projectId) => {
    const toProjectId = await findProjectByName(database, to);
    if (!(await unshareDirectory(database, projectId, { toProjectId })))
      throw new AppError('not-found', `The directory of ${project} is not shared with ${to}.`);
    print(json, { project, to, removed: true }, 'removed');
  });
}
