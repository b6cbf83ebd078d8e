import { type Command, Option } from 'commander';
import { changeMailboxSettings } from '../mailboxes/mailbox-settings.ts';
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
  mailbox
    .command('set')
    .description('change a setting of a mailbox that the API does not have')
    .addOption(projectOption('the project of the mailbox'))
    .requiredOption('--address <address>', 'the address of the mailbox')
    .addOption(
      new Option('--empty-folders <switch>', 'delete what was put into Junk or Trash 30 days ago')
        .choices(['on', 'off'])
        .makeOptionMandatory(),
    )
    .addOption(json)
    .addHelpText(
      'after',
      example('mailbox set --project default --address sales@acme.example --empty-folders off'),
    )
    .action(setMailbox);
  addAppPasswordCommands(mailbox);
  addFileCommands(mailbox);
}

async function unlock({ project, address, json }: ProjectOptions & { address: string }): Promise<void> {
  await withProject(project, async (database, projectId) => {
    await unlockMailbox(database, projectId, address);
    print(json, { address, unlocked: true }, `unlocked ${address}`);
  });
}

async function setMailbox(
  options: ProjectOptions & { address: string; emptyFolders: 'on' | 'off' },
): Promise<void> {
  await withProject(options.project, async (database, projectId) => {
    const changes = { emptiesFolders: options.emptyFolders === 'on' };
    const { address, emptiesFolders } = await changeMailboxSettings(
      database,
      projectId,
      options.address,
      changes,
    );
    print(options.json, { address, empty_folders: emptiesFolders ? 'on' : 'off' });
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
