import { readConfig, type Config } from '../app/config.ts';
import { type Database, openDatabase } from '../db/database.ts';
import { useEmbedded } from '../db/embedded/use-embedded.ts';
import { migrate } from '../db/migrate.ts';
import { checkSecret, type Sealer } from '../db/seal.ts';
import { secretOfFolder } from '../process/secret.ts';

/** Runs a command on the configured database: that of the running server, or one started for the purpose. */
export async function withDatabase<T>(run: (database: Database, config: Config) => Promise<T>): Promise<T> {
  const config = readConfig(process.env);
  await using embedded = config.databaseUrl === null ? await useEmbedded(config.dataDir) : null;
  const database = openDatabase(embedded?.url ?? (config.databaseUrl as string), { patient: true });
  try {
    await migrate(database);
    return await run(database, config);
  } finally {
    await database.destroy();
  }
}

/** Seals and opens with the secret of the configuration. @throws StartupError when the database was sealed with another */
export function openSealer(database: Database, config: Config): Promise<Sealer> {
  return checkSecret(database, config.secret ?? secretOfFolder(config.dataDir));
}

/** Prints a result for people, or as JSON for scripts. */
export function print(json: boolean | undefined, result: Record<string, unknown>): void {
  const lines = Object.entries(result).map(
    ([name, value]) => `${name}: ${Array.isArray(value) ? value.join(',') : value}`,
  );
  process.stdout.write(json === true ? `${JSON.stringify(result)}\n` : `${lines.join('\n')}\n`);
}
