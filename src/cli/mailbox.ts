import type { Command } from 'commander';
import { setPassword } from '../mailboxes/set-password.ts';
import { unlockMailbox } from '../mailboxes/sign-in/unlock.ts';
import { addAppPasswordCommands } from './app-password.ts';
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
  mailbox
    .command('unlock')
    .description(
      'forgive all wrong passwords for a mailbox, so that its owner can sign in at once from anywhere',
    )
    .addOption(projectOption('the project of the mailbox'))
    .requiredOption('--address <address>', 'the address of the mailbox')
    .addOption(json)
    .addHelpText('after', example('mailbox unlock --project default --address sales@acme.example'))
    .action(unlock);
  addAppPasswordCommands(mailbox);
  addFileCommands(mailbox);
}

async function unlock({ project, address, json }: ProjectOptions & { address: string }): Promise<void> {
  await withProject(project, async (database, projectId) => {
    await unlockMailbox(database, projectId, address);
    print(json, { address, unlocked: true }, `unlocked ${address}`);
  });
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
