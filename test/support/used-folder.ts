/**
 * A data folder on which the service was started once: with one, a start needs half of the time. The first test that wants
 * one makes it in the folder that `TEST_USED_FOLDER` names, which `test/run.ts` sets; every test gets a copy.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './eventually.ts';

const MAKING_MS = 60_000;

/**
 * Fills a data folder.
 * @param use starts and stops the service on a folder, and returns what that first start shows: a token
 * @returns the token; null where none is shared, and the folder is as it was
 */
export async function copyUsedFolder(
  dataDir: string,
  use: (dataDir: string) => Promise<string>,
): Promise<string | null> {
  const root = process.env['TEST_USED_FOLDER'];
  if (root === undefined) return null;
  const ready = join(root, 'ready');
  if (!existsSync(ready)) await make(root, ready, use);
  execFileSync('cp', ['-a', `${join(ready, 'data')}/.`, dataDir]);
  return readFileSync(join(ready, 'token'), 'utf8');
}

async function make(root: string, ready: string, use: (dataDir: string) => Promise<string>): Promise<void> {
  const making = join(root, 'making');
  try {
    mkdirSync(making);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // Another test is making it.
    if (await eventually(() => existsSync(ready), MAKING_MS)) return;
    throw new Error(`${ready} was not made in time`, { cause: error });
  }
  const data = join(making, 'data');
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(join(making, 'token'), await use(data));
  renameSync(making, ready);
}
