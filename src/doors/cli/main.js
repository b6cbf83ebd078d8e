/**
 * Entry point of the command line. `main.ts` is a symbolic link to this file, as `src/main.ts` is to `src/main.js`. If a server has left
 * sources without types in the data folder, a command does not load the TypeScript compiler, which would take a third of its run time.
 * This file is therefore JavaScript.
 */
// The reader may close the pipe early (`email list | head -1`). The rest of the output is dropped, and the command ends normally.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error;
});
import { devFolder } from '../../dev-folder.js';

const args = process.argv.slice(2);
// The cache of the sources is in the data folder, and the first module that is loaded looks for it there.
if (args[0] === 'dev') process.env.POSTHORN_DATA = devFolder(args);
void import('../../quick-start.js')
  .then(() => import('./program.ts'))
  .then(({ runProgram }) => runProgram(args));
