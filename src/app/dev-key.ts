import { join } from 'node:path';
import type { Config } from './config.ts';

/** The file in the data folder with an API key for the sandbox of `posthorn dev`. Only the owner of the folder can read it. */
export function devKeyFile({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'api-key');
}
