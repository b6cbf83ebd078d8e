import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from '../model/startup-error.ts';

/**
 * Reads the secret from the data folder, or creates a secret of 256 random bits in base64. The caller must hold the lock of the folder.
 * @throws StartupError
 */
export function secretOfFolder(dataDir: string): string {
  const found = readSecret(dataDir);
  if (found !== null) return found;
  const secret = randomBytes(32).toString('base64');
  keepSecret(dataDir, secret);
  return secret;
}

/** @returns null if the folder has no secret. @throws StartupError */
export function readSecret(dataDir: string): string | null {
  return usingFile(dataDir, (path) => (existsSync(path) ? readFileSync(path, 'utf8').trim() : null));
}

/** Writes the secret into a folder that has none. @throws StartupError */
export function keepSecret(dataDir: string, secret: string): void {
  usingFile(dataDir, (path) => {
    // Write the file atomically. If a crash left half a secret, nothing that was sealed with the whole one could be decrypted.
    const unfinished = `${path}.unfinished`;
    writeFileSync(unfinished, `${secret}\n`, { mode: 0o600, flush: true });
    renameSync(unfinished, path);
  });
}

function usingFile<T>(dataDir: string, use: (path: string) => T): T {
  const path = join(dataDir, 'secret');
  try {
    return use(path);
  } catch (error) {
    throw new StartupError(`The secret in ${path} cannot be read or created: ${(error as Error).message}.`);
  }
}
