/**
 * Loaded first in every process and thread of the service, and by the command line: without it, half of the start-up time is spent on
 * resolving and compiling a thousand files. It is written in JavaScript, so that no TypeScript compiler is loaded if the cache contains the
 * stripped sources.
 */
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { readStripped } from './source-cache.js';

/** URL of the folder with our own files. */
export const OWN = new URL('./', import.meta.url).href;
/** Packages that our files have imported, by name. One entry is enough for each, because all our files resolve a name to the same file. */
const packages = new Map();

// Our imports name the exact file, with its extension, so they can be resolved here. Node itself would check for each import that the file
// exists, and find its real path and its package, which takes longer than reading the file.
registerHooks({
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
  load(url, context, next) {
    if (!url.startsWith(OWN) || !url.endsWith('.ts')) return next(url, context);
    const source = readStripped(fileURLToPath(url));
    if (source === null) return next(url, context);
    return { format: 'module', source, shortCircuit: true };
  },
});
