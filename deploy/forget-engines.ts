/**
 * Removes `engines` from the packages in package-lock.json after npm has written the file. npm compares `engines` with the Node that runs
 * npm, and warns about packages that need a newer Node, although Posthorn runs with the Node 24 among its own packages. The `engines` of
 * the project remain, because they state the Node that npm needs.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const PATH = new URL('../package-lock.json', import.meta.url);

const lock = JSON.parse(readFileSync(PATH, 'utf8')) as { packages: Record<string, { engines?: object }> };
for (const [folder, entry] of Object.entries(lock.packages)) {
  if (folder.startsWith('node_modules/')) delete entry.engines;
}
writeFileSync(PATH, `${JSON.stringify(lock, null, 2)}\n`);
