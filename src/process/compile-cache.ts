import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, lstatSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolder } from '../installation/embedded/data-folder.ts';

const FOLDER = 'cache';
const SOURCES = fileURLToPath(new URL('../', import.meta.url));

/**
 * Fills a cache with the compiled code of a program and its imports, unless an earlier start has filled the cache. In each process that
 * compiles even one file, Node's TypeScript compiler takes 17 MB and half of the start time. With a full cache no process loads the
 * compiler. The cache is filled while PostgreSQL initializes its cluster.
 * @param dataDir the folder that contains the cache
 * @param args Node's arguments and the program. The cache depends on the arguments. The program exits once it is loaded, because it was
 * started without a supervisor
 * @returns variables for the program's environment; none if no cache can be written, or if the environment already names a cache
 */
export async function compileCache(
  dataDir: string,
  args: readonly string[],
): Promise<{ NODE_COMPILE_CACHE?: string }> {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return {};
  const folder = join(dataDir, FOLDER);
  const env = { NODE_COMPILE_CACHE: folder };
  try {
    const full = join(folder, `full-${hashOfSources()}`);
    if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined && !isOurs(folder)) return {};
    if (existsSync(full)) return env;
    rmSync(folder, { recursive: true, force: true });
    makeFolder(folder);
    const compiling = spawn(process.execPath, args, {
      env: { ...process.env, ...env },
      stdio: 'ignore',
      detached: true,
    });
    const [code] = await once(compiling, 'exit');
    if (code !== null) writeFileSync(full, '');
    return env;
  } catch {
    return {};
  }
}

/** Attack: another user writes code to the cache, and we execute this code. `doors/cli/main.js` has the same check. */
function isOurs(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.geteuid?.() && (found.mode & 0o022) === 0;
}

function hashOfSources(): string {
  const hash = createHash('sha256').update(process.version);
  for (const name of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!name.endsWith('.ts')) continue;
    const { mtimeMs, size } = statSync(join(SOURCES, name));
    hash.update(`${name} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}
