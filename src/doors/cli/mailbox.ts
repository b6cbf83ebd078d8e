import { type Command, Option } from 'commander';
import { findImportedPasswords } from '../../mailboxes/set-password.ts';
import { findMailbox } from '../../mailboxes/find-mailbox.ts';
import { findSendingLocks, unlockSending } from '../../mailboxes/sending-lock.ts';
import { AppError } from '../../model/app-error.ts';
import { decodeId } from '../../model/ids.ts';
import { age, printList } from './table.ts';
import { releaseAddress } from '../../mailboxes/release-address.ts';
import { unlockMailbox } from '../../mailboxes/sign-in/unlock.ts';
import { addDeclared } from './declared.ts';
import { addBlockCommands } from './mailbox-block.ts';
import { addFileCommands } from './mailbox-files.ts';
import { addForwardCommands } from './mailbox-forward.ts';
import { addPasswordCommands } from './mailbox-password.ts';
import { addRuleCommands } from './mailbox-rule.ts';
import { addVacationCommands } from './mailbox-vacation.ts';
import {
  example,
  json,
  print,
  projectOption,
  type ProjectOptions,
  withDatabase,
  withProject,
} from './command.ts';

export function defineMailbox(mailbox: Command): void {
  mailbox
    .command('list')
    .description('list the mailboxes of a project, oldest first, and whether they are locked for sending')
    .addOption(projectOption('the project'))
    .addOption(json)
    .addHelpText('after', example('mailbox list --project default'))
    .action(list);
  addPasswordCommands(mailbox);
  mailbox
    .command('unlock')
    .description(
      'reset the count of wrong passwords for a mailbox, so that its owner can sign in again from anywhere, and unlock it for sending',
    )
    .addOption(projectOption('the project of the mailbox'))
    .requiredOption('--address <address>', 'the address of the mailbox')
    .addOption(json)
    .addHelpText('after', example('mailbox unlock --project default --address sales@acme.example'))
    .action(unlock);
  mailbox
    .command('set')
    .description('change mailbox settings that the API does not have')
    .addOption(projectOption('the project of the mailbox'))
    .requiredOption('--address <address>', 'the address of the mailbox')
    .addOption(
      new Option(
        '--empty-folders <switch>',
        'delete messages 30 days after they were moved to Junk or Trash',
      ).choices(['on', 'off']),
    )
    .addOption(
      new Option(
        '--save-sent <switch>',
        'save a copy of each sent message in Sent, for mail apps that do not save one',
      ).choices(['on', 'off']),
    )
    .addOption(json)
    .addHelpText(
      'after',
      example('mailbox set --project default --address sales@acme.example --empty-folders off'),
    )
    .action(setMailbox);
  mailbox
    .command('release')
    .description('release an address of the hosted domain, so that any project can take it')
    .requiredOption('--address <address>', 'the address to release')
    .addOption(json)
    .addHelpText('after', example('mailbox release --address sales@posthorn.localhost'))
    .action(release);
  addDeclared(mailbox.command('app-password').description('manage app passwords, one for each mail app'));
  addDeclared(mailbox.command('member').description('manage who can open a mailbox besides its owner'));
  addFileCommands(mailbox);
  addRuleCommands(mailbox);
  addBlockCommands(mailbox);
  addDeclared(mailbox.command('safe').description('manage the safe senders of a mailbox (docs/rules.md)'));
  addVacationCommands(mailbox);
  addForwardCommands(mailbox);
  addDeclared(mailbox);
}

async function release({ address, json }: { address: string; json?: boolean }): Promise<void> {
  await withDatabase(async ({ database }) => {
    const project = await releaseAddress(database, address);
    print(
      json,
      { address, project_id: project, released: true },
      `released ${address}, which belonged to ${project}; any project can take it now`,
    );
  });
}

async function list({ project, json }: ProjectOptions): Promise<void> {
  await withProject(project, async (core, projectId) => {
    const { database } = core;
    const { data } = await core.mailboxes.list(projectId);
    const locks = await findSendingLocks(database, projectId);
    const imported = await findImportedPasswords(database, projectId);
    const mailboxes = data.map((mailbox) => {
      const id = decodeId('mbx', mailbox.id) ?? '';
      const lock = locks.get(id);
      return {
        ...mailbox,
        has_imported_password: imported.has(id),
        sending_locked_at: lock?.lockedAt.toISOString() ?? null,
        sending_locked_reason: lock?.reason ?? null,
      };
    });
    printList(
      json,
      { data: mailboxes },
      {
        columns: [
          { title: 'ID' },
          { title: 'AGE' },
          { title: 'UNREAD' },
          { title: 'STATE' },
          { title: 'ADDRESS', isCut: true },
        ],
        rowOf: ({ id, created_at, unread, sending_locked_reason, address }) => [
          id,
          age(created_at),
          String(unread),
          sending_locked_reason === null ? 'open' : `locked: ${sending_locked_reason}`,
          address,
        ],
        none: `The project ${project} has no mailboxes.`,
      },
    );
  });
}

async function unlock({ project, address, json }: ProjectOptions & { address: string }): Promise<void> {
  await withProject(project, async ({ database }, projectId) => {
    const mailboxId = await findMailbox(database, projectId, address);
    await unlockMailbox(database, { projectId, mailboxId });
    const maySendAgain = await unlockSending(database, projectId, mailboxId);
    print(
      json,
      { address, unlocked: true, was_locked_for_sending: maySendAgain },
      `unlocked ${address}${maySendAgain ? '; it can send again' : ''}`,
    );
  });
}

async function setMailbox(
  options: ProjectOptions & { address: string; emptyFolders?: 'on' | 'off'; saveSent?: 'on' | 'off' },
): Promise<void> {
  const { emptyFolders, saveSent } = options;
  if (emptyFolders === undefined && saveSent === undefined)
    throw new AppError('bad-request', 'Choose what to change: --empty-folders or --save-sent.');
  await withProject(options.project, async ({ database, mailboxPages, mailboxes }, projectId) => {
    const mailboxId = await findMailbox(database, projectId, options.address);
    await mailboxes.update(projectId, mailboxId, {
      ...(emptyFolders !== undefined && { empty_folders: emptyFolders === 'on' }),
      ...(saveSent !== undefined && { save_sent: saveSent === 'on' }),
    });
    const changed = await mailboxPages.get(projectId, mailboxId);
    if (changed === null) throw new AppError('not-found', 'The mailbox has just been deleted.');
    print(options.json, {
      address: changed.address,
      empty_folders: changed.empty_folders ? 'on' : 'off',
      save_sent: changed.save_sent ? 'on' : 'off',
    });
  });
}
