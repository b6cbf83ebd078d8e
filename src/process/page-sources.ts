/** The sources of the browser applications, and whether the build is up to date. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { PAGES_FOLDER } from '../doors/http/browser/pages-folder.ts';

const WEB = dirname(PAGES_FOLDER);
/** The file with the digest of the sources that were built. */
export const STAMP = join(PAGES_FOLDER, 'sources');
/** Source folders, relative to WEB. The webhook page shows the files of the last folder. */
const FOLDERS = [
  'account',
  'api',
  'dashboard',
  'filters',
  'mail',
  'shell',
  'ui',
  '../docs/webhook-verification',
];
const FILES = ['build.ts', 'package.json', 'pdf-files.ts', 'vite.config.ts'];

/** @returns null if there are no sources, as in a release */
export function sourcesDigest(): string | null {
  const digest = createHash('sha256');
  try {
    const files = FOLDERS.flatMap((folder) => filesBelow(join(WEB, folder)));
    for (const file of [...FILES.map((name) => join(WEB, name)), ...files.toSorted()]) {
      const content = readFileSync(file);
      digest.update(`${relative(WEB, file)} ${content.length}\n`).update(content);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  return digest.digest('hex');
}

/** Whether the pages must be rebuilt. Takes a few milliseconds if nothing has changed. */
export function areStale(): boolean {
  const digest = sourcesDigest();
  return digest !== null && digest !== stamp();
}

function stamp(): string | null {
  try {
    return readFileSync(STAMP, 'utf8').trim();
  } catch {
    return null;
  }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map(({ parentPath, name }) => join(parentPath, name));
}
