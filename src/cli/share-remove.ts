import { findProjectByName } from '../accounts/projects.ts';
import { unshareDirectory } from '../directory/shares.ts';
import { AppError } from '../model/app-error.ts';
import { withDatabase } from './with-database.ts';

export async function removeShare(options: { project: string; to: string }): Promise<void> {
  await withDatabase(async (database) => {
    const projectId = await findProjectByName(database, options.project);
    const toProjectId = await findProjectByName(database, options.to);
    if (!(await unshareDirectory(database, projectId, toProjectId))) {
      throw new AppError(
        'not-found',
        `The directory of ${options.project} is not shared with ${options.to}.`,
      );
    }
    process.stdout.write('removed\n');
  });
}
