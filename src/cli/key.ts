import { Command } from 'commander';
import { createApiKey, revokeApiKey } from '../accounts/api-keys.ts';
import { validationError } from '../model/app-error.ts';
import { type GrantedScopes, isScope, SCOPES } from '../model/scopes.ts';
import { idFrom, json, noSuch, print, type ProjectOptions, projectOption, withProject } from './command.ts';

export const key = new Command('key').description('API keys');
key
  .command('create')
  .description('make an API key; its token is shown once')
  .addOption(projectOption('the project that the key belongs to'))
  .requiredOption('--name <name>', 'what people call the key')
  .option('--scopes <list>', 'scopes, separated by commas; without this option the key has full access')
  .addOption(json)
  .action(createKey);
key
  .command('revoke')
  .description('revoke an API key; running servers notice within two seconds')
  .addOption(projectOption('the project that the key belongs to'))
  .requiredOption('--id <id>', 'the id of the key: key_...')
  .action(revokeKey);

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

async function revokeKey({ project, id }: ProjectOptions & { id: string }): Promise<void> {
  await withProject(project, async (database, projectId) => {
    if (!(await revokeApiKey(database, projectId, idFrom('key', id))))
      throw noSuch(project, 'key, or it was revoked before');
    process.stdout.write('revoked\n');
  });
}
