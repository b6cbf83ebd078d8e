/**
 * The cache of stripped sources: the JavaScript into which Node turns our TypeScript files. Node's TypeScript compiler takes 25 MB in each
 * process that compiles even one file, so all files are compiled before the service starts, in a process that then ends
 * (`fill-source-cache.ts`). Node's own compile cache would avoid the compiler too, but it stays in memory: 15 MB in the process that serves
 * HTTP.
 *
 * Written in JavaScript, because it runs before the cache can be used.
 */
import { spawn } from 'node:child_process';
import { createHash, hash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCES = fileURLToPath(new URL('./', import.meta.url));
const FILL = join(SOURCES, 'process/fill-source-cache.ts');
const DIGEST_LENGTH = 32;
/**
 * Whether this is the npm package. Node strips no types below `node_modules`, so `npm run release` strips the files of the package.
 */
const IS_STRIPPED = SOURCES.includes('/node_modules/');

export const SOURCE_CACHE = join(process.env.POSTHORN_DATA || 'data', 'cache');

/** Whether the folder exists and only we can write to it. Attack: another user writes code to the cache, and we execute it. */
export function isUsable() {
  const found = lstat(SOURCE_CACHE);
  return found?.isDirectory() === true && found.uid === process.geteuid?.() && (found.mode & 0o022) === 0;
}

/** Ignores errors, because the code that opens the data folder reports them. */
function lstat(path) {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

function digest(bytes) {
  return hash('sha256', bytes, 'hex').slice(0, DIGEST_LENGTH);
}

/** The name in the cache of the stripped source. */
export function nameInCache(source) {
  return digest(source);
}

/** @returns the stripped source of a file; null if it is not in the cache */
export function readStripped(path) {
  if (IS_STRIPPED) return readFileSync(path);
  if (!isUsable()) return null;
  try {
    const content = readFileSync(join(SOURCE_CACHE, nameInCache(readFileSync(path))));
    const stripped = content.subarray(DIGEST_LENGTH);
    // Compare the digest: after a power failure, a file may be incomplete, because files are not synced.
    return content.latin1Slice(0, DIGEST_LENGTH) === digest(stripped) ? stripped : null;
  } catch {
    return null;
  }
}

/** Writes a stripped source under a temporary name first, because other processes may read the file at the same time. */
export function writeStripped(name, stripped) {
  const path = join(SOURCE_CACHE, name);
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, digest(stripped) + stripped);
  renameSync(unfinished, path);
}

export function sourceFiles() {
  return readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .sort()
    .map((name) => join(SOURCES, name));
}

/**
 * The path of the file that exists when the cache contains the current version of all sources. Its name is different after each boot of the
 * machine, because after a power failure it may exist although other files are incomplete.
 */
export function fullMarker() {
  const all = createHash('sha256').update(process.version).update(bootId());
  for (const path of sourceFiles()) {
    // A temporary file of an editor may have disappeared already.
    const found = statSync(path, { throwIfNoEntry: false });
    all.update(`${path} ${found?.mtimeMs} ${found?.size}\n`);
  }
  return join(SOURCE_CACHE, `full-${all.digest('hex').slice(0, DIGEST_LENGTH)}`);
}

function bootId() {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id');
  } catch {
    return '';
  }
}

/**
 * Whether the cache contains the current version of all sources. False after an error, for example if a file has just disappeared; the
 * cache is then filled.
 */
function isFull() {
  try {
    return isUsable() && existsSync(fullMarker());
  } catch {
    return false;
  }
}

/**
 * Fills the cache if a source has changed since the last start, unless the environment names a compile cache of Node. If the cache cannot
 * be filled, each process compiles the files that it loads.
 */
export async function fillSourceCache() {
  if (IS_STRIPPED || process.env.NODE_COMPILE_CACHE !== undefined || isFull()) return;
  const filling = spawn(process.execPath, [FILL], { stdio: 'ignore' });
  await new Promise((resolve) => filling.once('exit', resolve).once('error', resolve));
}
