import { findProjectByName } from '../accounts/projects.ts';
import { requeue } from '../sending/deliver/requeue.ts';
import { AppError } from '../model/app-error.ts';
import { decodeId } from '../model/ids.ts';
import { withDatabase } from './with-database.ts';

export async function retryEmail(options: { project: string; id: string }): Promise<void> {
  await withDatabase(async (database) => {
    const projectId = await findProjectByName(database, options.project);
    const emailId = decodeId('em', options.id);
    const recipients = emailId === null ? 0 : await requeue(database, projectId, emailId);
    if (recipients === 0) {
      throw new AppError(
        'not-found',
        `The project ${options.project} has no such email that failed with reason "internal".`,
      );
    }
    process.stdout.write(
      `${recipients} ${recipients === 1 ? 'recipient is' : 'recipients are'} on the queue again\n`,
    );
  });
}
