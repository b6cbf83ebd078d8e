/**
 * What takes long to make is made once for a whole run: by the first test that wants it, in the folder that
 * `TEST_USED_FOLDER` names, which `test/run.ts` sets.
 */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './eventually.ts';

const MAKING_MS = 180_000;

/**
 * @param make fills a folder; what it writes must not know where it is: the folder is renamed once it is whole
 * @returns the folder; null where none is shared
 */
export async function madeOnce(
  name: string,
  make: (folder: string) => Promise<void>,
): Promise<string | null> {
  const root = process.env['TEST_USED_FOLDER'];
  if (root === undefined) return null;
  const ready = join(root, name);
  const making = `${ready}-making`;
  while (!existsSync(ready)) {
    if (begins(making)) {
      try {
        await make(making);
        renameSync(making, ready);
      } catch (error) {
        rmSync(making, { recursive: true, force: true });
        throw error;
      }
    } else if (!(await eventually(() => !existsSync(making), MAKING_MS)))
      throw new Error(`${ready} was not made in time`);
  }
  return ready;
}

/** False where another test is making it. */
function begins(making: string): boolean {
  try {
    mkdirSync(making, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
