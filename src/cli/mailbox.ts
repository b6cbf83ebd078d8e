import type { Command } from 'commander';
import { setPassword } from '../mailboxes/set-password.ts';
import { addFileCommands } from './mailbox-files.ts';
import { example, json, print, projectOption, type ProjectOptions, withProject } from './command.ts';

export function defineMailbox(mailbox: Command): void {
  mailbox
    .command('set-password')
    .description('set the password of a mailbox')
    .addOption(projectOption('the project of the mailbox'))
    .requiredOption('--address <address>', 'the address of the mailbox')
    .option('--password <password>', 'at least 12 characters; without this option one is made and shown once')
    .addOption(json)
    .addHelpText('after', example('mailbox set-password --project default --address sales@acme.example'))
    .action(setMailboxPassword);
  addFileCommands(mailbox);
}

async function setMailboxPassword(
  options: ProjectOptions & { address: string; password?: string },
): Promise<void> {
  await withProject(options.project, async (database, projectId) => {
    const given = options.password ?? null;
    const { address, generated } = await setPassword(database, projectId, options.address, given);
    print(options.json, { address, ...(generated !== null && { password: generated }) });
  });
}
