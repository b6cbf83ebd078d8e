/** Creates expensive folders once per run. The first test that needs a folder creates it in `TEST_USED_FOLDER` (set by `test/run.ts`). */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './eventually.ts';

const MAKING_MS = 180_000;

/**
 * @param make fills a folder. Its files must not contain the path of the folder, because the complete folder is renamed
 * @returns the folder, or null without `TEST_USED_FOLDER`
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
      throw new Error(`${ready} was not created in time`);
  }
  return ready;
}

/** @returns false if another test is already creating the folder */
function begins(making: string): boolean {
  try {
    mkdirSync(making, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
