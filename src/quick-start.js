/**
 * Loaded first in every process and thread of the service, and by the command line: half of the start-up time goes into resolving and
 * compiling a thousand files. Written in JavaScript, so that no TypeScript compiler is loaded if an earlier start has cached the compiled code.
 */
import { lstatSync } from 'node:fs';
import * as module from 'node:module';
import { join } from 'node:path';

/** URL of the folder with our own files. */
export const OWN = new URL('./', import.meta.url).href;
/** Packages that our files have imported, by name. All our files resolve a name to the same file. */
const packages = new Map();

const cache = join(process.env.POSTHORN_DATA || 'data', 'cache');
const found = lookAt(cache);
// Attack: cached code is executed, so use the folder only if no other user could have written to it. Node adds the code that it compiles.
const isOurs =
  found?.isDirectory() === true && found.uid === process.geteuid?.() && (found.mode & 0o022) === 0;
if (isOurs && process.env.NODE_COMPILE_CACHE === undefined) module.enableCompileCache(cache);

/** Ignores errors: the code that opens the data folder reports them. */
function lookAt(path) {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

// Our imports name the exact file, with its extension. Node would still check for each import that the file exists, and find its real path
// and its package, which takes longer than reading the file.
module.registerHooks({
  resolve(name, context, next) {
    const { parentURL = '', conditions } = context;
    // `require` of CommonJS may omit extensions.
    if (!parentURL.startsWith('file:') || !conditions.includes('import')) return next(name, context);
    const isOwn = parentURL.startsWith(OWN);
    if (name.startsWith('./') || name.startsWith('../')) {
      const url = new URL(name, parentURL).href;
      if (isOwn && url.endsWith('.ts')) return { url, format: 'module-typescript', shortCircuit: true };
      return { url, shortCircuit: true };
    }
    if (!isOwn) return next(name, context);
    const resolved = packages.get(name) ?? { ...next(name, context), shortCircuit: true };
    packages.set(name, resolved);
    return resolved;
  },
});
