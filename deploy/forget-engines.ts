/**
 * Removes `engines` from the packages in package-lock.json after npm has written it. npm compares them with the Node that runs npm, and warns about
 * packages that need a newer one; but Posthorn runs with the Node 24 among its packages. Our own `engines` stay: they say what npm needs.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const PATH = new URL('../package-lock.json', import.meta.url);

const lock = JSON.parse(readFileSync(PATH, 'utf8')) as { packages: Record<string, { engines?: object }> };
for (const [folder, entry] of Object.entries(lock.packages)) {
  if (folder.startsWith('node_modules/')) delete entry.engines;
}
writeFileSync(PATH, `${JSON.stringify(lock, null, 2)}\n`);
