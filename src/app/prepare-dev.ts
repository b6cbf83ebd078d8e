/** Prepares the database and the data folder for `posthorn dev`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createApiKey, digestOf } from '../accounts/keys/api-keys.ts';
import type { Database } from '../db/database.ts';
import { devProject, ensureDevUser } from '../dev/dev-user.ts';
import { BAD_CONFIGURATION, StartupError } from '../model/startup-error.ts';
import { readProviderKind } from '../queue/provider-kind.ts';
import type { FirstStart } from './app.ts';
import type { Config } from './config.ts';
import { devKeyFile } from './dev-key.ts';

/**
 * Called before anything in the database is changed. Attack: the inbox, which has no sign-in, shows the emails of a real installation whose
 * database a developer names by mistake.
 * @throws StartupError
 */
export async function assertNotReal(database: Database): Promise<void> {
  if ((await readProviderKind(database)) === 'real')
    throw new StartupError(
      'This database belongs to an installation that sends real mail. Use another one for posthorn dev.',
      { exitCode: BAD_CONFIGURATION },
    );
}

/**
 * Creates the user and the API key of the project, unless they exist. The key in the file may be revoked, or belong to another database.
 * Safe to repeat.
 */
export async function prepareDev(
  database: Database,
  config: Config,
  firstStart: FirstStart | null,
): Promise<void> {
  await ensureDevUser(database);
  const file = devKeyFile(config);
  const projectId = await devProject(database);
  if (existsSync(file) && (await isValid(database, projectId, readFileSync(file, 'utf8').trim()))) return;
  const { token } = firstStart ?? (await createApiKey(database, projectId, 'posthorn dev', null));
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
}

async function isValid(database: Database, projectId: string, token: string): Promise<boolean> {
  const key = await database
    .selectFrom('apiKeys')
    .select('id')
    .where('projectId', '=', projectId)
    .where('tokenSha256', '=', digestOf(token))
    .where('revokedAt', 'is', null)
    .executeTakeFirst();
  return key !== undefined;
}
