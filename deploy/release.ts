/**
 * `npm run release`: writes release/posthorn-<version>.tar.gz, and a file with the SHA-256 of the archive. The archive contains the built
 * pages and all files that `npm ci --omit=dev && npm start` needs. All files come from the checked-out commit, so a commit results in the
 * same bytes on every machine.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { productionLock, productionManifest } from './production-packages.ts';

const ROOT = join(import.meta.dirname, '..');
/** The folder for the release: the argument, or `release`. */
const FOLDER = resolve(process.argv[2] ?? join(ROOT, 'release'));
const MAX_BYTES = 2 ** 28;
/** The files of the release. They include the sources of the pages and of the SDK, which `/docs` reads. */
const SHIPPED = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'deploy',
  'docs',
  'src',
  'sdk/README.md',
  'web/ui/tokens.css',
];
/** The sources and build scripts of the pages. */
const PAGES = [
  'web',
  'src/process/page-sources.ts',
  'src/doors/http/browser/pages-folder.ts',
  'package.json',
];
const FOR_DEVELOPMENT = ['deploy/*.ts', 'src/*.test.ts', 'src/*.fixture.ts'];

const manifest = productionManifest(committed('package.json'));
const lock = productionLock(committed('package-lock.json'), manifest);
const name = `${manifest.name}-${manifest.version}`;
const archive = gzipSync(tarOf(manifest, lock), { level: 9 });
const sum = createHash('sha256').update(archive).digest('hex');

mkdirSync(FOLDER, { recursive: true });
writeFileSync(join(FOLDER, `${name}.tar.gz`), archive);
// This line has the format that `sha256sum --check` reads.
writeFileSync(join(FOLDER, `${name}.tar.gz.sha256`), `${sum}  ${name}.tar.gz\n`);
process.stdout.write(`${join(FOLDER, name)}.tar.gz, SHA-256 ${sum}\n`);
if (git(['status', '--porcelain']).length > 0)
  process.stderr.write(
    'Uncommitted changes are not in the release. Commit them and run this again to include them.\n',
  );

/** The archive. Its files are sorted, have no owners and have the time of the commit, so that the bytes are reproducible. */
function tarOf(packageJson: object, packageLock: object): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-release-'));
  try {
    const excluded = FOR_DEVELOPMENT.map((pattern) => `:(exclude)${pattern}`);
    const committedFiles = git(['archive', `--prefix=${name}/`, 'HEAD', ...SHIPPED, ...excluded]);
    execFileSync('tar', ['-x', '-C', folder], { input: committedFiles });
    cpSync(builtPages(folder), join(folder, name, 'web/dist'), { recursive: true });
    writeFileSync(join(folder, name, 'package.json'), `${JSON.stringify(packageJson, null, 2)}\n`);
    writeFileSync(join(folder, name, 'package-lock.json'), `${JSON.stringify(packageLock, null, 2)}\n`);
    const time = `--mtime=@${git(['log', '-1', '--format=%ct']).toString().trim()}`;
    const same = [
      '--format=gnu',
      '--sort=name',
      '--owner=0',
      '--group=0',
      '--numeric-owner',
      '--mode=go=u,go-w',
    ];
    return execFileSync('tar', ['-c', '-C', folder, ...same, time, name], { maxBuffer: MAX_BYTES });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Builds the pages in a separate folder, because the checkout may have uncommitted changes. @returns the folder with the pages */
function builtPages(folder: string): string {
  const sources = join(folder, 'pages');
  mkdirSync(sources);
  execFileSync('tar', ['-x', '-C', sources], { input: git(['archive', 'HEAD', ...PAGES]) });
  symlinkSync(join(ROOT, 'node_modules'), join(sources, 'node_modules'));
  execFileSync(process.execPath, [join(sources, 'web/build.ts')], { cwd: sources, stdio: 'inherit' });
  return join(sources, 'web/dist');
}

function committed(path: string): string {
  return git(['show', `HEAD:${path}`]).toString();
}

function git(args: string[]): Buffer {
  return execFileSync('git', args, { cwd: ROOT, maxBuffer: MAX_BYTES });
}
