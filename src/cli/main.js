/**
 * The command line. `main.ts` is a link to this file, as `src/main.ts` is to its own: this is JavaScript, so that the compiler for
 * TypeScript, a third of the time of a command, is not loaded where a server has left compiled code in the data folder.
 */
import { lstatSync } from 'node:fs';
import * as module from 'node:module';
import { join } from 'node:path';

const cache = join(process.env.POSTHORN_DATA || 'data', 'cache');
const found = lstatSync(cache, { throwIfNoEntry: false });
// What is in the folder is run: nobody else may have put it there. It adds what it loads itself.
const isOurs =
  found?.isDirectory() === true && found.uid === process.geteuid?.() && (found.mode & 0o022) === 0;
if (isOurs && process.env.NODE_COMPILE_CACHE === undefined) module.enableCompileCache(cache);
// Who reads the output may have seen enough: `email list | head -1`. Nothing more is printed, and the command ends as ever.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error;
});
void import('./program.ts').then(({ runProgram }) => runProgram(process.argv.slice(2)));
