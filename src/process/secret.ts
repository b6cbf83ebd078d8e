import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from '../db/embedded/startup-error.ts';

/**
 * Reads the secret in the data folder, and makes it if there is none: 256 random bits in base64. The caller holds the lock
 * of the folder.
 * @throws StartupError
 */
export function secretOfFolder(dataDir: string): string {
  const path = join(dataDir, 'secret');
  try {
    if (!existsSync(path)) {
      // The file is written whole or not at all: with half a secret nothing that was sealed opens again.
      const unfinished = `${path}.unfinished`;
      writeFileSync(unfinished, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flush: true });
      renameSync(unfinished, path);
    }
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new StartupError(`The secret in ${path} cannot be read or made: ${(error as Error).message}.`);
  }
}
