/**
 * The command line. `main.ts` is a link to this file, as `src/main.ts` is to its own: this is JavaScript, so that the compiler for
 * TypeScript, a third of the time of a command, is not loaded where a server has left compiled code in the data folder.
 */
// Who reads the output may have seen enough: `email list | head -1`. Nothing more is printed, and the command ends as ever.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error;
});
void import('../../quick-start.js')
  .then(() => import('./program.ts'))
  .then(({ runProgram }) => runProgram(process.argv.slice(2)));
