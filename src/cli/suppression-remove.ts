import { findProjectByName } from '../accounts/projects.ts';
import { Suppressions } from '../sending/suppress/suppressions.ts';
import { AppError } from '../model/app-error.ts';
import { withDatabase } from './with-database.ts';

export async function removeSuppression(options: { project: string; address: string }): Promise<void> {
  await withDatabase(async (database) => {
    const projectId = await findProjectByName(database, options.project);
    if (!(await new Suppressions(database).remove(projectId, options.address))) {
      throw new AppError(
        'not-found',
        `The address is not on the suppression list of the project ${options.project}.`,
      );
    }
    process.stdout.write('removed\n');
  });
}
