import { type Command, Option } from 'commander';
import {
  createAppPassword,
  listAppPasswords,
  revokeAppPassword,
} from '../../mailboxes/sign-in/app-passwords.ts';
import { AppError } from '../../model/app-error.ts';
import { encodeId } from '../../model/ids.ts';
import { example, idFrom, print } from './command.ts';
import { mailboxCommands, type MailboxOptions, withMailbox } from './mailbox-command.ts';
import { age, printList } from './table.ts';

export function addAppPasswordCommands(mailbox: Command): void {
  const appPassword = mailbox.command('app-password').description('passwords for one mail app each');
  const command = mailboxCommands(appPassword);
  const mailboxOf = '--project default --address sales@acme.example';
  command('create', 'make an app password; it is shown once')
    .requiredOption('--name <name>', 'which app it is for')
    .addOption(
      new Option('--access <access>', 'what the app may do')
        .choices(['read', 'everything'])
        .default('everything'),
    )
    .addHelpText('after', example(`mailbox app-password create ${mailboxOf} --name phone`))
    .action(create);
  command('list', 'the app passwords of a mailbox, without their secrets')
    .addHelpText('after', example(`mailbox app-password list ${mailboxOf}`))
    .action(list);
  command('revoke', 'revoke an app password; what it opened is closed within two seconds')
    .requiredOption('--id <id>', 'its id: app_...')
    .addHelpText('after', example(`mailbox app-password revoke ${mailboxOf} --id app_...`))
    .action(revoke);
}

async function create(
  options: MailboxOptions & { name: string; access: 'read' | 'everything' },
): Promise<void> {
  const { name, access } = options;
  await withMailbox(options, async ({ database }, mailbox) => {
    const { id, password } = await createAppPassword(database, mailbox, { name, access });
    print(options.json, { id: encodeId('app', id), name, access, password });
  });
}

async function list(options: MailboxOptions): Promise<void> {
  await withMailbox(options, async ({ database }, mailbox) => {
    const data = (await listAppPasswords(database, mailbox)).map(
      ({ id, name, access, createdAt, lastUsedAt }) => ({
        id: encodeId('app', id),
        name,
        access,
        created_at: createdAt.toISOString(),
        last_used_at: lastUsedAt?.toISOString() ?? null,
      }),
    );
    printList(
      options.json,
      { data },
      {
        columns: [
          { title: 'ID' },
          { title: 'AGE' },
          { title: 'USED' },
          { title: 'ACCESS' },
          { title: 'NAME', isCut: true },
        ],
        rowOf: ({ id, name, access, created_at, last_used_at }) => [
          id,
          age(created_at),
          last_used_at === null ? 'never' : age(last_used_at),
          access,
          name,
        ],
        none: `${options.address} has no app passwords.`,
      },
    );
  });
}

async function revoke(options: MailboxOptions & { id: string }): Promise<void> {
  await withMailbox(options, async ({ database }, mailbox) => {
    if (!(await revokeAppPassword(database, mailbox, idFrom('app', options.id))))
      throw new AppError('not-found', 'The mailbox has no such app password, or it was revoked before.');
    print(options.json, { id: options.id, revoked: true }, `revoked ${options.id}`);
  });
}
