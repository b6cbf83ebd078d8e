import { createApiKey } from '../accounts/api-keys.ts';
import { findProjectByName } from '../accounts/projects.ts';
import { validationError } from '../model/app-error.ts';
import { type GrantedScopes, isScope, SCOPES } from '../model/scopes.ts';
import { print, withDatabase } from './with-database.ts';

interface Options {
  project: string;
  name: string;
  scopes?: string;
  json?: boolean;
}

export async function createKey(options: Options): Promise<void> {
  const scopes = options.scopes === undefined ? null : parseScopes(options.scopes);
  await withDatabase(async (database) => {
    const projectId = await findProjectByName(database, options.project);
    const { id, token } = await createApiKey(database, projectId, options.name, scopes);
    print(options.json, { id, token, scopes });
  });
}

/** An empty list is refused: it would make a key that may do nothing, and is mostly a variable that was not set. */
function parseScopes(list: string): GrantedScopes {
  const names = [...new Set(list.split(',').map((name) => name.trim()))];
  const scopes = names.filter(isScope);
  if (scopes.length !== names.length || scopes.length === 0) {
    const wrong = names.filter((name) => !isScope(name)).map((name) => JSON.stringify(name));
    throw validationError({ scopes: `${wrong.join(', ')} is no scope; the scopes are ${SCOPES.join(', ')}` });
  }
  return scopes;
}
