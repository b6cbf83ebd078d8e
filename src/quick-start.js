/**
 * Comes before all else in every process and thread of the service, and in the command line: half of a start is looking for a thousand
 * files and compiling them. JavaScript, so that no compiler for TypeScript is loaded where an earlier start has left compiled code.
 */
import { lstatSync } from 'node:fs';
import * as module from 'node:module';
import { join } from 'node:path';

/** Where our own files are. */
export const OWN = new URL('./', import.meta.url).href;
/** What our files have imported from packages, by its name: all of them find the same. */
const packages = new Map();

const cache = join(process.env.POSTHORN_DATA || 'data', 'cache');
const found = lookAt(cache);
// What is in the folder is run: nobody else may have put it there. It adds what it loads itself.
const isOurs =
  found?.isDirectory() === true && found.uid === process.geteuid?.() && (found.mode & 0o022) === 0;
if (isOurs && process.env.NODE_COMPILE_CACHE === undefined) module.enableCompileCache(cache);

/** What is wrong with the data folder is said by whoever needs it. */
function lookAt(path) {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

// Imports say which file they mean, with its ending. Node makes sure of that for each: it looks for the file, its real path and the package
// that it is in, which takes longer than to read it.
module.registerHooks({
  resolve(name, context, next) {
    const { parentURL = '', conditions } = context;
    // What CommonJS requires may leave out endings.
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
