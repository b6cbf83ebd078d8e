/**
 * `npm run build:web`: builds the pages into `dist`, with each file also compressed by Brotli and gzip. With
 * `--if-stale`, builds only if the sources of the pages have changed.
 */
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build, type InlineConfig, mergeConfig, type Rolldown } from 'vite';
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
  const packages = new Set<string>();
  try {
    for (const application of APPLICATIONS) {
      const built = { logLevel: 'warn', build: { outDir: join(folder, application) } };
      for (const each of await bundlesOf(mergeConfig(configOf(application), built)))
        addPackages(each, packages);
    }
    // The bill of materials of a release lists these packages.
    writeFileSync(join(folder, 'packages'), `${[...packages].toSorted().join('\n')}\n`);
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

async function bundlesOf(config: InlineConfig): Promise<Rolldown.RolldownOutput[]> {
  const built = await build(config);
  return [built].flat() as Rolldown.RolldownOutput[];
}

/** Adds the folders of the npm packages whose code or files are in a bundle, such as `node_modules/react`. */
function addPackages({ output }: Rolldown.RolldownOutput, packages: Set<string>): void {
  for (const file of output) {
    const origins = file.type === 'chunk' ? file.moduleIds : file.originalFileNames;
    for (const origin of origins) {
      const [found] =
        /node_modules\/.*node_modules\/(?:@[^/]+\/)?[^/]+|node_modules\/(?:@[^/]+\/)?[^/]+/.exec(origin) ??
        [];
      if (found !== undefined) packages.add(found);
    }
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
