/** How a user of this installation calls the command line: the npm package has the command `posthorn`, and a checkout has an npm script. */
export const COMMAND_LINE = import.meta.dirname.includes('/node_modules/')
  ? 'npx posthorn'
  : 'npm run -s posthorn --';
