import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import { createApiKey, revokeApiKey } from '../accounts/api-keys.ts';
import { findApiKey, type KeyRecord, listApiKeys } from '../accounts/key-records.ts';
import type { Database } from '../db/database.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { encodeId } from '../model/ids.ts';
import { type GrantedScopes, isScope, SCOPES } from '../model/scopes.ts';
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
import { age, printList } from './table.ts';

export function defineKey(key: Command): void {
  key
    .command('create')
    .description('make an API key; its token is shown once')
    .addOption(projectOption('the project that the key belongs to'))
    .requiredOption('--name <name>', 'what people call the key')
    .option('--scopes <list>', 'scopes, separated by commas; without this option the key has full access')
    .addOption(json)
    .addHelpText('after', example('key create --project default --name ci --scopes emails:send,emails:read'))
    .action(createKey);
  key
    .command('list')
    .description('the API keys of a project that were not revoked, without their tokens')
    .addOption(projectOption('the project'))
    .addOption(json)
    .addHelpText('after', example('key list --project default'))
    .action(listKeys);
  key
    .command('revoke')
    .description('revoke an API key; running servers notice within two seconds')
    .option('--project <name>', 'the project that the key belongs to; needed with --id and --name')
    .addOption(new Option('--id <id>', 'the id of the key: key_...').conflicts(['name', 'tokenStdin']))
    .addOption(new Option('--name <name>', 'its name, if no other key has it').conflicts('tokenStdin'))
    .option('--token-stdin', 'the key whose token is on standard input: arguments are seen by others')
    .addOption(json)
    .addHelpText('after', example('key revoke --project default --name ci'))
    .action(revokeKey);
}

async function createKey(options: ProjectOptions & { name: string; scopes?: string }): Promise<void> {
  const scopes = options.scopes === undefined ? null : parseScopes(options.scopes);
  await withProject(options.project, async (database, projectId) => {
    const { id, token } = await createApiKey(database, projectId, options.name, scopes);
    print(options.json, { id, token, scopes });
  });
}

/** An empty list is refused: it would make a key that may do nothing, and mostly comes from a variable that was not set. */
function parseScopes(list: string): GrantedScopes {
  const names = [...new Set(list.split(',').map((name) => name.trim()))];
  const scopes = names.filter(isScope);
  if (scopes.length !== names.length || scopes.length === 0) {
    const wrong = names.filter((name) => !isScope(name)).map((name) => JSON.stringify(name));
    throw validationError({ scopes: `${wrong.join(', ')} is no scope; the scopes are ${SCOPES.join(', ')}` });
  }
  return scopes;
}

async function listKeys({ project, json }: ProjectOptions): Promise<void> {
  await withProject(project, async (database, projectId) => {
    const keys = await listApiKeys(database, projectId);
    const data = keys.map(({ id, name, scopes, createdAt }) => ({
      id: encodeId('key', id),
      name,
      scopes,
      created_at: createdAt.toISOString(),
    }));
    printList(
      json,
      { data },
      {
        columns: [
          { title: 'ID' },
          { title: 'AGE' },
          { title: 'NAME', isCut: true },
          { title: 'SCOPES', isCut: true },
        ],
        rowOf: ({ id, name, scopes, created_at }) => [
          id,
          age(created_at),
          name,
          scopes?.join(',') ?? 'full access',
        ],
        none: `The project ${project} has no API keys.`,
      },
    );
  });
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
    return withDatabase(async (database) => {
      const key = await findApiKey(database, token);
      if (key === null) throw new AppError('not-found', 'No key has this token, or it was revoked before.');
      await revoke(database, key, json);
    });
  }
  if (project === undefined || (options.id ?? options.name) === undefined)
    throw validationError({ options: 'say which key: --project with --id or --name, or --token-stdin' });
  await withProject(project, async (database, projectId) => {
    const keys = await listApiKeys(database, projectId);
    const id = options.id === undefined ? null : idFrom('key', options.id);
    const [key, ...others] = keys.filter((key) => (id === null ? key.name === options.name : key.id === id));
    if (key === undefined) throw noSuch(project, 'key, or it was revoked before');
    if (others.length > 0) {
      const ids = [key, ...others].map((one) => encodeId('key', one.id)).join(', ');
      throw validationError({ name: `several keys have this name: say which one with --id (${ids})` });
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
