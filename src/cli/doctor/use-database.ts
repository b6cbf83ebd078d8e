import { existsSync } from 'node:fs';
import type { Config } from '../../app/config.ts';
import { openDatabase } from '../../db/database.ts';
import { clusterFolder } from '../../db/embedded/cluster.ts';
import { type UsedPostgres, useEmbedded } from '../../db/embedded/use-embedded.ts';
import { reasonOf } from './run-checks.ts';
import type { World } from './world.ts';

/** Runs with the configured database as it is: nothing is made or migrated, and one that cannot be opened is a value. */
export async function useDatabase<T>(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  run: (database: World['database']) => Promise<T>,
): Promise<T> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl !== null) return runOn(databaseUrl, run);
  if (!existsSync(clusterFolder(dataDir))) return run({ error: `there is none in ${dataDir}.` });
  let embedded: UsedPostgres;
  try {
    embedded = await useEmbedded(dataDir);
  } catch (error) {
    return run({ error: reasonOf(error) });
  }
  await using used = embedded;
  return await runOn(used.url, run);
}

async function runOn<T>(url: string, run: (database: World['database']) => Promise<T>): Promise<T> {
  const opened = openDatabase(url);
  try {
    return await run({ opened });
  } finally {
    await opened.destroy();
  }
}
