/**
 * Runs the everyday tests that a change can break: `node test/changed.ts [commit] [option of node --test]...`
 * The change consists of all files that differ from the commit, and of untracked files. The default commit is the merge base with `main`;
 * on `main` itself, the latest commit.
 *
 * Tests of all texts are always selected. Another test is selected if it imports a changed file, directly or indirectly, but not through
 * `src/app` and `test/support`: these folders import nearly everything, so nearly every test would run each time. Changing a file in one of
 * them runs all tests that use the file.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Importers } from './support/importers.ts';
import { EVERYDAY, OF_ALL_TEXTS } from './support/test-processes.ts';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const args = process.argv.slice(2);
const options = args.filter((arg) => arg.startsWith('-'));
const commit = args.find((arg) => !arg.startsWith('-')) ?? git('merge-base', 'HEAD', 'main')[0] ?? 'HEAD';

const paths = globSync(['{src,test,sdk}/**/*.ts'], { exclude: (path) => path.includes('node_modules') });
const sources = new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]));
const importers = new Importers(sources);
const changed = new Set([
  ...git('diff', '--name-only', commit, '--'),
  ...git('ls-files', '--others', '--exclude-standard'),
]);
const touched = [...changed].flatMap(sourcesOf);
const everyday = new Set(globSync(EVERYDAY));
const importing = everydayTests(importers.reach(touched, isHub));
const beyond = everydayTests(importers.reach(touched, () => false)).length - importing.length;
const tests = [...new Set([...importing, ...globSync(OF_ALL_TEXTS)])];

process.stdout.write(
  `${changed.size} files differ from ${commit}; ${importing.length} test files import them.\n`,
);
if (beyond > 0)
  process.stdout.write(
    `${beyond} more test files reach the change through a whole service: run them with npm test.\n`,
  );
if ([...changed].some((path) => path.startsWith('web/')))
  process.stdout.write('Pages differ too. Run npm run test:web -- test/web/<page>.test.ts\n');
if (tests.length > 0) {
  const { status } = spawnSync(process.execPath, ['test/run.ts', ...options, ...tests], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}

function git(...of: readonly string[]): string[] {
  const lines = execFileSync('git', of, { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line !== '');
}

/**
 * The sources that stand for a changed path: the path itself if it is a source. For any other path, such as a migration or a deleted file,
 * these are the sources in the nearest folder that has sources.
 */
function sourcesOf(path: string): string[] {
  if (sources.has(path)) return [path];
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    const beside = existsSync(folder) ? globSync(`${folder}/*.ts`).filter((each) => sources.has(each)) : [];
    if (beside.length > 0) return beside;
  }
  return [];
}

function everydayTests(reached: Iterable<string>): string[] {
  return [...reached].filter((path) => everyday.has(path)).toSorted();
}

function isHub(path: string): boolean {
  return (path.startsWith('src/app/') || path.startsWith('test/support/')) && !path.endsWith('.test.ts');
}
