import { Command } from 'commander';
import { requeue } from '../sending/deliver/requeue.ts';
import { idFrom, noSuch, type ProjectOptions, projectOption, withProject } from './command.ts';

export const email = new Command('email').description('emails');
email
  .command('retry')
  .description('try an email again that failed with reason "internal"')
  .addOption(projectOption('the project of the email'))
  .requiredOption('--id <id>', 'the id of the email: em_...')
  .action(retryEmail);

async function retryEmail({ project, id }: ProjectOptions & { id: string }): Promise<void> {
  await withProject(project, async (database, projectId) => {
    const recipients = await requeue(database, projectId, idFrom('em', id));
    if (recipients === 0) throw noSuch(project, 'email that failed with reason "internal"');
    process.stdout.write(
      `${recipients} ${recipients === 1 ? 'recipient is' : 'recipients are'} on the queue again\n`,
    );
  });
}
