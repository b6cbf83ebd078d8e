import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import { createApiKey, revokeApiKey } from '../../accounts/keys/api-keys.ts';
import { findApiKey, type KeyRecord, listApiKeys } from '../../accounts/keys/key-records.ts';
import type { Restrictions } from '../../accounts/restrictions/restrictions.ts';
import type { Database } from '../../db/database.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import { encodeId } from '../../model/ids.ts';
import { type GrantedScopes, isScope, SCOPES } from '../../model/scopes.ts';
import {
  example,
  idFrom,
  json,
  noSuch,
  print,
  type ProjectOptions,
  projectOption,
  withDatabase,
  withProject,
} from './command.ts';
import { addDeclared } from './declared.ts';
import { age, printList, timeInWords } from './table.ts';

export function defineKey(key: Command): void {
  key
    .command('create')
    .description('create an API key; its token is shown once')
    .addOption(projectOption('the project that the key belongs to'))
    .requiredOption('--name <name>', 'a name for the key')
    .option('--scopes <list>', 'scopes, separated by commas; default: full access')
    .option('--from-domains <list>', 'only allow sending from these domains: acme.example,*.acme.example')
    .option(
      '--recipients <list>',
      'only allow sending to these addresses: ada@acme.example,*@acme.example,*@*.acme.example',
    )
    .option('--addresses <list>', 'only allow requests from these IP addresses and networks: 192.0.2.0/24')
    .option('--expires <time>', 'when the key expires: 2027-01-31 or 2027-01-31T12:00:00Z; default: never')
    .addOption(json)
    .addHelpText('after', example('key create --project default --name ci --scopes emails:send,emails:read'))
    .action(createKey);
  key
    .command('list')
    .description('list the active API keys of a project, without their tokens')
    .addOption(projectOption('the project'))
    .addOption(json)
    .addHelpText('after', example('key list --project default'))
    .action(listKeys);
  key
    .command('revoke')
    .description('revoke an API key; running servers reject it within two seconds')
    .option('--project <name>', 'the project that the key belongs to; required with --id and --name')
    .addOption(new Option('--id <id>', 'the id of the key: key_...').conflicts(['name', 'tokenStdin']))
    .addOption(new Option('--name <name>', 'the name of the key, if it is unique').conflicts('tokenStdin'))
    .option(
      '--token-stdin',
      'read the token of the key from standard input, because other users can see arguments',
    )
    .addOption(json)
    .addHelpText('after', example('key revoke --project default --name ci'))
    .action(revokeKey);
  addDeclared(key);
}

interface CreateOptions extends ProjectOptions {
  name: string;
  scopes?: string;
  fromDomains?: string;
  recipients?: string;
  addresses?: string;
  expires?: string;
}

async function createKey({ project, json, name, ...options }: CreateOptions): Promise<void> {
  const scopes = options.scopes === undefined ? null : parseScopes(options.scopes);
  const restrictions: Restrictions = {
    fromDomains: listIn(options.fromDomains),
    recipients: listIn(options.recipients),
    addresses: listIn(options.addresses),
    expiresAt: options.expires === undefined ? null : timeIn(options.expires),
  };
  await withProject(project, async ({ database }, projectId) => {
    const { id, token } = await createApiKey(database, projectId, name, scopes, { restrictions });
    print(json, { id, token, scopes });
  });
}

function listIn(list: string | undefined): string[] | null {
  return list === undefined
    ? null
    : list
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== '');
}

function timeIn(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw validationError({ expires: 'must be a date or a time: 2027-01-31 or 2027-01-31T12:00:00Z' });
  return time;
}

/** Rejects an empty list, because a key without scopes could do nothing. The usual cause is an unset shell variable. */
function parseScopes(list: string): GrantedScopes {
  const names = [...new Set(list.split(',').map((name) => name.trim()))];
  const scopes = names.filter(isScope);
  if (scopes.length !== names.length || scopes.length === 0) {
    const wrong = names.filter((name) => !isScope(name)).map((name) => JSON.stringify(name));
    throw validationError({
      scopes: `${wrong.join(', ')} is not a scope; the scopes are ${SCOPES.join(', ')}`,
    });
  }
  return scopes;
}

async function listKeys({ project, json }: ProjectOptions): Promise<void> {
  await withProject(project, async ({ database }, projectId) => {
    const keys = await listApiKeys(database, projectId);
    const data = keys.map(shown);
    printList(
      json,
      { data },
      {
        columns: [
          { title: 'ID' },
          { title: 'AGE' },
          { title: 'NAME', isCut: true },
          { title: 'USED' },
          { title: 'SCOPES', isCut: true },
          { title: 'ONLY', isCut: true },
        ],
        rowOf: (key) => [
          key.id,
          age(key.created_at),
          key.name,
          key.last_used_at === null ? 'never' : age(key.last_used_at),
          key.scopes?.join(',') ?? 'full access',
          limitsOf(key),
        ],
        none: `The project ${project} has no API keys.`,
      },
    );
  });
}

/** A key as printed. */
function shown(key: KeyRecord) {
  return {
    id: encodeId('key', key.id),
    name: key.name,
    scopes: key.scopes,
    // Null in these fields means no restriction.
    from_domains: key.fromDomains,
    recipients: key.recipients,
    addresses: key.addresses,
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    created_at: key.createdAt.toISOString(),
  };
}

function limitsOf({ from_domains, recipients, addresses, expires_at }: ReturnType<typeof shown>): string {
  return [
    ...(from_domains === null ? [] : [`from ${from_domains.join(',')}`]),
    ...(recipients === null ? [] : [`to ${recipients.join(',')}`]),
    ...(addresses === null ? [] : [`at ${addresses.join(',')}`]),
    ...(expires_at === null ? [] : [`until ${timeInWords(expires_at)}`]),
  ].join(' ');
}

interface RevokeOptions {
  project?: string;
  id?: string;
  name?: string;
  tokenStdin?: true;
  json?: boolean;
}

async function revokeKey(options: RevokeOptions): Promise<void> {
  const { project, json, tokenStdin } = options;
  if (tokenStdin === true) {
    const token = (await text(process.stdin)).trim();
    return withDatabase(async ({ database }) => {
      const key = await findApiKey(database, token);
      if (key === null) throw new AppError('not-found', 'No key has this token, or it is already revoked.');
      await revoke(database, key, json);
    });
  }
  if (project === undefined || (options.id ?? options.name) === undefined)
    throw validationError({
      options: 'choose a key with --project plus either --id or --name, or with --token-stdin',
    });
  await withProject(project, async ({ database }, projectId) => {
    const keys = await listApiKeys(database, projectId);
    const id = options.id === undefined ? null : idFrom('key', options.id);
    const [key, ...others] = keys.filter((key) => (id === null ? key.name === options.name : key.id === id));
    if (key === undefined) throw noSuch(project, 'key, or it is already revoked');
    if (others.length > 0) {
      const ids = [key, ...others].map((one) => encodeId('key', one.id)).join(', ');
      throw validationError({ name: `several keys have this name; choose one with --id (${ids})` });
    }
    await revoke(database, key, json);
  });
}

async function revoke(
  database: Database,
  { projectId, id, name }: KeyRecord,
  json: boolean | undefined,
): Promise<void> {
  await revokeApiKey(database, projectId, id);
  const shown = encodeId('key', id);
  print(json, { id: shown, name, revoked: true }, `revoked ${shown} (${name})`);
}
