/**
 * `npm start`. `main.ts` is a link to this file: a Node that does not know TypeScript goes by the ending of the file behind the
 * link, and says what to do. So this is JavaScript that old ones read too.
 */
const NEEDED = 24;

if (Number.parseInt(process.versions.node, 10) >= NEEDED) {
  void import('./quick-start.js').then(() => import('./start.ts'));
} else {
  const help =
    process.env.npm_lifecycle_event === undefined
      ? `Use npm start: it runs the Node ${NEEDED} that npm ci installs`
      : `It comes with npm ci, unless that leaves out optional packages`;
  process.stderr.write(`Posthorn needs Node ${NEEDED}, and this is ${process.version}. ${help}.\n`);
  process.exitCode = 1;
}
