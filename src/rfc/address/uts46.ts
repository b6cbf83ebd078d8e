import { createRequire } from 'node:module';
import type * as Tr46 from 'tr46';

let loaded: typeof Tr46 | undefined;

/** The functions of UTS 46. Their tables take 2 MB in each process and thread, so they are loaded at the first internationalized name. */
export function uts46(): typeof Tr46 {
  loaded ??= createRequire(import.meta.url)('tr46') as typeof Tr46;
  return loaded;
}
