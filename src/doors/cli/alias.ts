import type { Command } from 'commander';
import type { Alias } from '../../contract/aliases.ts';
import type { Database } from '../../db/database.ts';
import type { Aliases } from '../../mailboxes/aliases.ts';
import { findMailbox } from '../../mailboxes/find-mailbox.ts';
import { localPartKey } from '../../mailboxes/local-part.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import { decodeId, encodeId } from '../../model/ids.ts';
import { type MailboxAddress, parseMailbox } from '../../rfc/address/index.ts';
import { example, json, print, projectOption, type ProjectOptions, withProject } from './command.ts';
import { addDeclared } from './declared.ts';
import { domainOfAddress } from './mailbox-command.ts';
import { age, printList } from './table.ts';

export function defineAlias(alias: Command): void {
  alias
    .command('create')
    .description('create an address that delivers to one or more mailboxes of the project')
    .addOption(projectOption('the project of the mailboxes'))
    .requiredOption('--address <address>', 'the new address, on a domain of the project or the hosted domain')
    .requiredOption('--mailbox <address...>', 'the addresses of the mailboxes that receive its mail')
    .addOption(json)
    .addHelpText(
      'after',
      example(
        'alias create --project default --address sales@acme.example --mailbox ann@acme.example ben@acme.example',
      ),
    )
    .action(create);
  alias
    .command('list')
    .description('list the aliases of a project, oldest first')
    .addOption(projectOption('the project'))
    .addOption(json)
    .addHelpText('after', example('alias list --project default'))
    .action(list);
  alias
    .command('delete')
    .description('delete an alias; its mailboxes keep the mail that they received through it')
    .addOption(projectOption('the project of the alias'))
    .requiredOption('--address <address>', 'the address of the alias')
    .addOption(json)
    .addHelpText('after', example('alias delete --project default --address sales@acme.example'))
    .action(remove);
  addDeclared(alias);
}

function withAliases(
  project: string,
  run: (aliases: Aliases, projectId: string, database: Database) => Promise<void>,
): Promise<void> {
  return withProject(project, ({ aliases, database }, projectId) => run(aliases, projectId, database));
}

/** @throws AppError validation-failed if `address` is not an email address */
function parseAddress(address: string): MailboxAddress {
  const parsed = parseMailbox(address);
  if ('error' in parsed) throw validationError({ address: parsed.error });
  return parsed;
}

async function create(options: ProjectOptions & { address: string; mailbox: string[] }): Promise<void> {
  const { localPart, domain } = parseAddress(options.address);
  await withAliases(options.project, async (aliases, projectId, database) => {
    const domainId = await domainOfAddress(database, projectId, domain);
    const mailboxes: string[] = [];
    for (const mailbox of options.mailbox)
      mailboxes.push(encodeId('mbx', await findMailbox(database, projectId, mailbox)));
    const alias = await aliases.create(projectId, {
      domain_id: domainId,
      local_part: localPart,
      mailbox_ids: mailboxes,
    });
    print(options.json, alias);
  });
}

async function list(options: ProjectOptions): Promise<void> {
  await withAliases(options.project, async (aliases, projectId, database) => {
    const { data } = await aliases.list(projectId);
    const mailboxes = await database
      .selectFrom('mailboxes')
      .select(['id', 'localPart', 'domain'])
      .where('projectId', '=', projectId)
      .execute();
    const addresses = new Map(
      mailboxes.map(({ id, localPart, domain }) => [encodeId('mbx', id), `${localPart}@${domain}`]),
    );
    const targetsOf = ({ mailbox_ids }: Alias) => mailbox_ids.map((id) => addresses.get(id) ?? id).join(' ');
    printList(
      options.json,
      { data },
      {
        columns: [
          { title: 'ID' },
          { title: 'AGE' },
          { title: 'ADDRESS' },
          { title: 'DELIVERS TO', isCut: true },
        ],
        rowOf: (alias) => [alias.id, age(alias.created_at), alias.address, targetsOf(alias)],
        none: `${options.project} has no aliases.`,
      },
    );
  });
}

async function remove(options: ProjectOptions & { address: string }): Promise<void> {
  const { localPart, domain } = parseAddress(options.address);
  await withAliases(options.project, async (aliases, projectId) => {
    const { data } = await aliases.list(projectId);
    const found = data.find(
      (alias) => alias.domain === domain && localPartKey(alias.local_part) === localPartKey(localPart),
    );
    const id = found === undefined ? null : decodeId('als', found.id);
    if (found === undefined || id === null || !(await aliases.delete(projectId, id)))
      throw new AppError('not-found', 'The project has no alias with this address.');
    print(options.json, { id: found.id, address: found.address, deleted: true }, `deleted ${found.address}`);
  });
}
