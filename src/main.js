/**
 * The entry point of `npm start`. `main.ts` is a symbolic link to this file, and Node goes by the extension of the link's target. So even a
 * Node version without TypeScript support runs this file, which then prints what to do. Use only syntax that old versions of Node can
 * parse.
 */
const NEEDED = 24;

if (Number.parseInt(process.versions.node, 10) >= NEEDED) {
  void import('./quick-start.js')
    .then(() => import('./source-cache.js'))
    .then(({ fillSourceCache }) => fillSourceCache())
    .then(() => import('./start.ts'));
} else {
  const help =
    process.env.npm_lifecycle_event === undefined
      ? `Use npm start, which runs the Node ${NEEDED} that npm ci installs`
      : `Run npm ci, which installs it, and do not omit optional packages`;
  process.stderr.write(`Posthorn needs Node ${NEEDED}, but this is ${process.version}. ${help}.\n`);
  process.exitCode = 1;
}
