import { createRequire } from 'node:module';

/** The functions of UTS 46. Their tables take 2 MB in each process and thread, so they are loaded at the first internationalized name. */
export function uts46(): typeof import('tr46') {
  return createRequire(import.meta.url)('tr46') as typeof import('tr46');
}
