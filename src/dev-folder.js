/**
 * The data folder of `posthorn dev`. It is chosen before any other module is loaded, because the folder contains the sources without types
 * (`source-cache.js`), without which the command would load the TypeScript compiler. Written in JavaScript, because it runs before that cache can be used.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';

/** @param args the arguments of the command line: `dev --data folder` or `dev --data=folder` */
export function devFolder(args) {
  for (const [at, arg] of args.entries()) {
    if (arg === '--data') return args[at + 1] || defaultFolder();
    if (arg.startsWith('--data=')) return arg.slice('--data='.length) || defaultFolder();
  }
  return defaultFolder();
}

export function defaultFolder() {
  return join(homedir(), '.cache', 'posthorn', 'dev');
}
