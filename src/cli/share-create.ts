import { findProjectByName } from '../accounts/projects.ts';
import { shareDirectory } from '../directory/shares.ts';
import { print, withDatabase } from './with-database.ts';

export async function createShare(options: { project: string; to: string; json?: boolean }): Promise<void> {
  await withDatabase(async (database) => {
    const projectId = await findProjectByName(database, options.project);
    const toProjectId = await findProjectByName(database, options.to);
    const id = await shareDirectory(database, projectId, toProjectId);
    print(options.json, { id, project: options.project, to: options.to });
  });
}
