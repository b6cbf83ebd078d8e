/**
 * Entry point of the command line. `main.ts` is a symbolic link to this file, as `src/main.ts` is to `src/main.js`. The file is JavaScript
 * so that the TypeScript compiler, a third of a command's run time, is not loaded if a server has left the stripped sources in the data folder.
 */
// The reader may close the pipe early (`email list | head -1`). The rest of the output is dropped, and the command ends normally.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error;
});
void import('../../quick-start.js')
  .then(() => import('./program.ts'))
  .then(({ runProgram }) => runProgram(process.argv.slice(2)));
