/** The folders whose archives are a release. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { type Lock } from './production-packages.ts';
import { ROOT, unpack } from './tarball.ts';

/** The files of the release, with those for an image. They include the manual of the SDK, which `/docs` reads. */
const SHIPPED = [
  '.dockerignore',
  'CHANGELOG.md',
  'Dockerfile',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'compose.cluster.yaml',
  'compose.yaml',
  'deploy',
  'docs',
  'src',
  'sdk/README.md',
  'web/ui/tokens.css',
];
const FOR_DEVELOPMENT = ['deploy/*.ts', 'src/*.d.ts', 'src/*.test.ts', 'src/*.fixture.ts'];
/** The sources and build scripts of the pages and of the SDK. */
const BUILT = [
  'web',
  'sdk',
  'src/process/page-sources.ts',
  'src/doors/http/browser/pages-folder.ts',
  'docs/webhook-verification',
  'package.json',
  'tsconfig.json',
];

interface ProgramTree {
  manifest: { dependencies: object };
  lock: Lock;
  /** The folder of the built pages. */
  pages: string;
  isNpm?: boolean;
}

/**
 * Builds the pages and the SDK from the commit in a separate folder, because the checkout may have uncommitted changes.
 * @returns the folder with the sources and with the results
 */
export function buildSources(folder: string): string {
  const sources = join(folder, 'sources');
  mkdirSync(sources);
  unpack(sources, BUILT);
  symlinkSync(join(ROOT, 'node_modules'), join(sources, 'node_modules'));
  const run = (args: string[]) =>
    execFileSync(process.execPath, args, { cwd: sources, stdio: ['ignore', 2, 2] });
  run([join(sources, 'web/build.ts')]);
  run([join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', join(sources, 'sdk/tsconfig.build.json')]);
  return sources;
}

/** Writes the files of the service to a folder of this name. @returns `parent` */
export function programTree(
  parent: string,
  name: string,
  { manifest, lock, pages, isNpm = false }: ProgramTree,
): string {
  const folder = join(parent, name);
  mkdirSync(folder, { recursive: true });
  unpack(folder, [...SHIPPED, ...FOR_DEVELOPMENT.map((pattern) => `:(exclude)${pattern}`)]);
  cpSync(pages, join(folder, 'web/dist'), { recursive: true });
  writeJson(join(folder, 'package.json'), manifest);
  writeJson(join(folder, 'package-lock.json'), lock);
  if (isNpm) fitForNpm(folder, manifest);
  return parent;
}

/**
 * Adds the tested versions of all packages, because npm ignores the lock file of a published package. Only Node and PostgreSQL are not
 * among them: npm installs them for the processor of the machine. npm packages contain no symbolic links, and Node strips no types below
 * node_modules. Stripped files have the same line numbers.
 */
function fitForNpm(folder: string, manifest: ProgramTree['manifest']): void {
  const bundled = ['--omit=dev', '--omit=optional', '--ignore-scripts', '--no-bin-links', '--prefer-offline'];
  execFileSync('npm', ['ci', ...bundled], { cwd: folder, stdio: ['ignore', 2, 2] });
  rmSync(join(folder, 'node_modules/.package-lock.json'));
  rmSync(join(folder, 'package-lock.json'));
  const bundleDependencies = Object.keys(manifest.dependencies);
  writeJson(join(folder, 'package.json'), { ...manifest, bundleDependencies });
  const src = join(folder, 'src');
  for (const file of readdirSync(src, { recursive: true, encoding: 'utf8' })) {
    const path = join(src, file);
    if (lstatSync(path).isSymbolicLink()) rmSync(path);
    else if (file.endsWith('.ts')) writeFileSync(path, stripTypeScriptTypes(readFileSync(path, 'utf8')));
  }
}

/** Writes the files of the SDK. @returns the name of its archive, as `npm pack` names it, and the folder that contains `package` */
export function sdkTree(parent: string, sources: string): { name: string; path: string } {
  const folder = join(parent, 'package');
  mkdirSync(folder, { recursive: true });
  const { scripts: _, ...manifest } = JSON.parse(readFileSync(join(sources, 'sdk/package.json'), 'utf8')) as {
    scripts: object;
    name: string;
    version: string;
  };
  writeJson(join(folder, 'package.json'), manifest);
  for (const name of ['LICENSE', 'README.md', 'dist'])
    cpSync(join(sources, 'sdk', name), join(folder, name), { recursive: true });
  return { name: `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}`, path: parent };
}

function writeJson(path: string, value: object): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}
