/**
 * Commands that modules declare with their operations (`CliDoor`). The code that defines a command group calls `addDeclared` at the point
 * where the group's help should list them.
 */
import type { Command } from 'commander';
import type { Core } from '../../app/core.ts';
import type { CliDoor, CliTable, Declaration, Resource } from '../../contract/operation.ts';
import { runOf } from '../http/declared-operations.ts';
import { resourceOf } from '../http/operation.ts';
import { OPERATION_MODULES } from '../http/operation-modules.ts';
import { findMailbox } from '../../mailboxes/find-mailbox.ts';
import { AppError } from '../../model/app-error.ts';
import { NIL_UUID } from '../../model/ids.ts';
import { example, idFrom, json, print, projectOption, withDatabase, withProject } from './command.ts';
import { addFields, valuesFrom, type Options } from './declared-options.ts';
import { age, type Column, printList } from './table.ts';
import { organizationNamed, organizationOption } from './user-organization.ts';

/** An operation that is offered as a command. */
interface Declared {
  declaration: Declaration;
  cli: CliDoor;
  run(core: Core, call: object): Promise<unknown>;
  scope: 'project' | 'organization' | 'installation';
  /** The resource that `{id}` in the path identifies; `part` is the resource that `{part}` identifies. */
  resource: Resource | null;
  part: Resource | null;
}

/** Adds the declared commands of a group, such as `mailbox rule`. */
export function addDeclared(group: Command): void {
  const groupName = fullNameOf(group);
  for (const module of OPERATION_MODULES)
    for (const [name, declaration] of Object.entries(module.operations)) {
      const { cli } = declaration.doors;
      const [last = '', ...before] = cli?.command.split(' ').toReversed() ?? [];
      if (cli !== undefined && before.toReversed().join(' ') === groupName)
        add(group.command(last), declaredOf(declaration, cli, runOf(module, name)));
    }
}

/** The full name of a command, without the name of the program. */
function fullNameOf(command: Command): string {
  const { parent } = command;
  return parent === null || parent.name() === 'posthorn'
    ? command.name()
    : `${fullNameOf(parent)} ${command.name()}`;
}

function declaredOf(declaration: Declaration, cli: CliDoor, run: Declared['run']): Declared {
  const { api, dashboard } = declaration.doors;
  const route = dashboard?.route ?? api?.route;
  if (declaration.raw === true || route === undefined)
    throw new TypeError(
      `${cli.command}: a module must implement the operation, for the API or the dashboard`,
    );
  const inOrganization = route.includes('{organization}') ? 'organization' : 'installation';
  return {
    declaration,
    cli,
    run,
    scope: api !== undefined || route.includes('{project}') ? 'project' : inOrganization,
    resource: dashboard?.resource ?? (api === undefined ? null : resourceOf(api.route)),
    part: dashboard?.part ?? null,
  };
}

function add(command: Command, declared: Declared): void {
  const { cli, declaration, scope, resource, part } = declared;
  const textOf = (name: string, otherwise: string) => cli.options?.[name] ?? otherwise;
  const addId = ({ name, prefix }: Resource) =>
    command.requiredOption('--id <id>', textOf('id', `the id of the ${name}: ${prefix}_...`));
  command.description(cli.description);
  if (scope === 'project') command.addOption(projectOption(textOf('project', 'the project')));
  if (isMailbox(resource))
    command.requiredOption('--address <address>', textOf('address', 'the address of the mailbox'));
  else if (resource !== null) addId(resource);
  if (scope === 'organization') command.addOption(organizationOption());
  command.addOption(json);
  if (part !== null) addId(part);
  addFields(command, declaration, cli);
  command
    .addHelpText('after', example(`${cli.command} ${cli.example}`.trimEnd()))
    .action((options: Options) => execute(declared, options));
}

function isMailbox(resource: Resource | null): boolean {
  return resource?.prefix === 'mbx';
}

async function execute(declared: Declared, options: Options): Promise<void> {
  const fields = await valuesFrom(declared.declaration, options);
  await inScope(declared, options, async (core, ids) => {
    // Unseal, because the operation may need the secret to seal or to sign.
    await core.unseal();
    const { id, partId } = await idsOf(declared, options, core, ids.projectId);
    const mailbox = { projectId: ids.projectId, mailboxId: id };
    const answer = await declared.run(core, { ...ids, id, partId, mailbox, body: fields, query: fields });
    if (answer === null || answer === false) throw missing(declared, options);
    show(declared, options, answer);
  });
}

interface ScopeIds {
  projectId: string;
  organizationId: string;
}

function inScope(
  { scope }: Declared,
  { project, org }: Options,
  run: (core: Core, ids: ScopeIds) => Promise<void>,
): Promise<void> {
  if (scope === 'project')
    return withProject(String(project), (core, projectId) =>
      run(core, { projectId, organizationId: NIL_UUID }),
    );
  return withDatabase(async (core) => {
    const organizationId =
      scope === 'organization'
        ? await organizationNamed(core.database, org === undefined ? undefined : String(org))
        : NIL_UUID;
    await run(core, { projectId: NIL_UUID, organizationId });
  });
}

/** Resolves the options that identify the resource and its part to their uuids. */
async function idsOf(
  { resource, part }: Declared,
  options: Options,
  { database }: Core,
  projectId: string,
): Promise<{ id: string; partId: string }> {
  const uuidOf = (one: Resource | null) =>
    one === null ? NIL_UUID : idFrom(one.prefix, String(options['id']));
  const id = isMailbox(resource)
    ? await findMailbox(database, projectId, String(options['address']))
    : uuidOf(resource);
  return { id, partId: uuidOf(part) };
}

function missing({ cli, part, resource, scope }: Declared, { project }: Options): AppError {
  const name = (part ?? resource)?.name ?? 'resource';
  const where = scope === 'project' ? `The project ${String(project)} has no such` : 'There is no such';
  return new AppError('not-found', cli.notFoundMessage ?? `${where} ${name}.`);
}

function show({ cli, declaration }: Declared, options: Options, answer: unknown): void {
  const asJson = options['json'] === true;
  if (declaration.success.body === undefined) {
    const { trueMember = 'done', message = trueMember } = cli;
    const identity = options['id'] === undefined ? {} : { id: options['id'] };
    print(asJson, { ...identity, [trueMember]: true }, filled(message, options));
    return;
  }
  const result = (typeof answer === 'string' ? JSON.parse(answer) : answer) as object;
  if (cli.table === undefined) print(asJson, result);
  else printTable(asJson, result as { data: readonly Row[] }, cli.table as CliTable<Row>, options);
}

type Row = Readonly<Record<string, unknown>>;

function printTable(
  asJson: boolean,
  list: { data: readonly Row[] },
  { columns, none }: CliTable<Row>,
  options: Options,
): void {
  printList(asJson, list, {
    columns: columns.map(({ title, isCut }): Column => ({ title, ...(isCut && { isCut }) })),
    rowOf: (row) => columns.map(({ cell }) => (typeof cell === 'function' ? cell(row) : cellOf(row, cell))),
    none: filled(none, options),
  });
}

function cellOf(row: Row, name: string): string {
  const value = row[name];
  if (name.endsWith('_at')) return typeof value === 'string' ? age(value) : 'never';
  return value === null || value === undefined ? '' : String(value);
}

/** Replaces each `{name}` in `text` with the value of the option `name`. */
function filled(text: string, options: Options): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(options[name]));
}
