/**
 * `npm run build:web`: builds the pages into `dist`, with each file also compressed by Brotli and gzip. With
 * `--if-stale`, builds only if the sources of the pages have changed.
 */
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build, mergeConfig } from 'vite';
import { PAGES_FOLDER } from '../src/doors/http/browser/pages-folder.ts';
import { APPLICATIONS, configOf } from './vite.config.ts';
import { areStale, sourcesDigest, STAMP } from '../src/process/page-sources.ts';

const COMPRESSED = /\.(?:css|html|js|svg)$/;

if (!process.argv.includes('--if-stale') || areStale()) await buildPages();

/** The previous pages remain in `dist` until the new pages are complete. */
async function buildPages(): Promise<void> {
  const digest = sourcesDigest();
  // The folder is next to `dist`, because renaming works only within one file system.
  const folder = mkdtempSync(join(import.meta.dirname, '.dist-'));
  try {
    for (const application of APPLICATIONS) {
      const built = { logLevel: 'warn', build: { outDir: join(folder, application) } };
      await build(mergeConfig(configOf(application), built));
    }
    compressBelow(folder);
    writeFileSync(join(folder, basename(STAMP)), `${digest}\n`);
    const old = `${folder}-old`;
    rename(PAGES_FOLDER, old);
    rename(folder, PAGES_FOLDER);
    rmSync(old, { recursive: true, force: true });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Renames a folder. Does nothing if another build has finished first, because both builds produce the same pages. */
function rename(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(code)) throw error;
  }
}

function compressBelow(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !COMPRESSED.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    const content = readFileSync(file);
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    };
    writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  }
}
