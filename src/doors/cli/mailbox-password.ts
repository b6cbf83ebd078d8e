/** Creates mailboxes and sets their passwords. Only these commands accept password hashes of other systems. */
import type { Command } from 'commander';
import { type ImportedHash, readImportedHash } from '../../accounts/passwords/imported-hash.ts';
import { CreateMailbox } from '../../contract/mailboxes.ts';
import { findMailbox } from '../../mailboxes/find-mailbox.ts';
import { setPassword } from '../../mailboxes/set-password.ts';
import { validationError } from '../../model/app-error.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import { readInput } from './bodies.ts';
import { example, json, print, projectOption, withProject } from './command.ts';
import { numberFrom } from './declared-options.ts';
import { domainOfAddress, type MailboxOptions } from './mailbox-command.ts';

interface PasswordOptions extends MailboxOptions {
  password?: string;
  passwordHash?: string;
}

interface CreateOptions extends PasswordOptions {
  displayName?: string;
  quotaMb?: number;
}

export function addPasswordCommands(mailbox: Command): void {
  const create = mailbox
    .command('create')
    .description('create a mailbox')
    .addOption(projectOption('the project of the mailbox'))
    .requiredOption('--address <address>', 'the new address, on a domain of the project or the hosted domain')
    .option('--display-name <name>', 'the name of the sender')
    .option('--quota-mb <number>', 'its storage in megabytes; default: 1024', numberFrom);
  addPasswordOptions(create)
    .addHelpText('after', example('mailbox create --project default --address ann@acme.example'))
    .action(createMailbox);
  const set = mailbox
    .command('set-password')
    .description('set the password of a mailbox')
    .addOption(projectOption('the project of the mailbox'))
    .requiredOption('--address <address>', 'the address of the mailbox');
  addPasswordOptions(set)
    .addHelpText('after', example('mailbox set-password --project default --address sales@acme.example'))
    .action(setMailboxPassword);
}

function addPasswordOptions(command: Command): Command {
  return command
    .option('--password <password>', 'at least 12 characters; default: one is generated and shown once')
    .option(
      '--password-hash <file>',
      'a file with the hash of the password from another mail server, or - for standard input',
    )
    .addOption(json);
}

async function createMailbox(options: CreateOptions): Promise<void> {
  const { address, displayName, quotaMb, password } = options;
  const imported = readHash(options);
  const parsed = parseMailbox(address);
  if ('error' in parsed) throw validationError({ address: parsed.error });
  await withProject(options.project, async ({ database, mailboxes }, projectId) => {
    const body = {
      domain_id: await domainOfAddress(database, projectId, parsed.domain),
      local_part: parsed.localPart,
      ...(displayName !== undefined && { display_name: displayName }),
      ...(quotaMb !== undefined && { quota_mb: quotaMb }),
      ...(password !== undefined && { password }),
    };
    const { compileCheck } = await import('../http/validation.ts');
    const errors = compileCheck(CreateMailbox)(body);
    if (errors !== null) throw validationError(errors);
    const created = await mailboxes.create(projectId, body as CreateMailbox, imported);
    const generated = created.password === undefined ? {} : { password: created.password };
    print(options.json, { id: created.id, address: created.address, ...generated });
  });
}

async function setMailboxPassword(options: PasswordOptions): Promise<void> {
  const password = readHash(options) ?? options.password ?? null;
  await withProject(options.project, async ({ database }, projectId) => {
    const mailboxId = await findMailbox(database, projectId, options.address);
    const { address, generated } = await setPassword(database, { projectId, mailboxId }, password);
    print(options.json, { address, ...(generated !== null && { password: generated }) });
  });
}

/** @throws AppError validation-failed */
function readHash({ password, passwordHash: path }: PasswordOptions): ImportedHash | undefined {
  if (path === undefined) return undefined;
  if (password !== undefined)
    throw validationError({ password: 'use either --password or --password-hash, not both' });
  const read = readImportedHash(readInput(path, 'password_hash').toString());
  if ('fault' in read) throw validationError({ password_hash: read.fault });
  return read;
}
