/**
 * `npm run release`: writes a folder with all files of a release (docs/release.md): the archive, the npm packages of the service and of the
 * SDK, the bill of materials, and the SHA-256 of each. All files come from the checked-out commit, so a commit results in the same bytes on
 * every machine.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { billOfMaterials } from './bill-of-materials.ts';
import { type Lock, productionLock, productionManifest } from './production-packages.ts';
import { buildSources, programTree, sdkTree } from './release-trees.ts';
import { committed, git, ROOT, tarball } from './tarball.ts';

/** The folder for the release: the argument, or `release`. */
const FOLDER = resolve(process.argv[2] ?? join(ROOT, 'release'));

const manifest = productionManifest(committed('package.json'));
const lock = productionLock(committed('package-lock.json'), manifest);
const name = `${manifest.name}-${manifest.version}`;
const sums: string[] = [];

mkdirSync(FOLDER, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), 'posthorn-release-'));
try {
  const sources = buildSources(folder);
  const tree = { manifest, lock, pages: join(sources, 'web/dist') };
  write(`${name}.tar.gz`, tarball(programTree(join(folder, 'archive'), name, tree), name));
  // An npm package has all of its files in the folder `package`.
  write(
    `${name}.tgz`,
    tarball(programTree(join(folder, 'npm'), 'package', { ...tree, isNpm: true }), 'package'),
  );
  const sdk = sdkTree(join(folder, 'sdk'), sources);
  write(`${sdk.name}.tgz`, tarball(sdk.path, 'package'));
  write(`${name}.cdx.json`, Buffer.from(`${JSON.stringify(billOf(sources), null, 2)}\n`));
  // These lines have the format that `sha256sum --check` reads.
  writeFileSync(join(FOLDER, 'SHA256SUMS'), sums.join(''));
} finally {
  rmSync(folder, { recursive: true });
}
process.stdout.write(`${FOLDER}\n${sums.join('')}`);
if (git(['status', '--porcelain']).length > 0)
  process.stderr.write(
    'Uncommitted changes are not in the release. Commit them and run this again to include them.\n',
  );

function write(file: string, content: Buffer): void {
  writeFileSync(join(FOLDER, file), content);
  sums.push(`${createHash('sha256').update(content).digest('hex')}  ${file}\n`);
}

function billOf(sources: string) {
  const [commit = '', time = ''] = git(['log', '-1', '--format=%H %cI']).toString().trim().split(' ');
  const release = { ...manifest, commit, time: new Date(time).toISOString() };
  const pages = readFileSync(join(sources, 'web/dist/packages'), 'utf8').trim().split('\n');
  return billOfMaterials(release, lock, JSON.parse(committed('package-lock.json')) as Lock, pages);
}
