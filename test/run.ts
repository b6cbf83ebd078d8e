/**
 * Runs tests with one PostgreSQL for all of them: `node test/run.ts [folder, file or option of node --test]...`
 * Without folders and files it runs the everyday suite: all that needs no other software, without the fault tests.
 */
import { spawn } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { memoryFolder } from './support/memory-folder.ts';
import { startTestServer } from './support/postgres.ts';
import { writeTestProcesses } from './support/test-processes.ts';

const EVERYDAY = ['src', 'sdk', 'test/support', 'test/e2e'];
const SHOWN_PROCESSES = 3;

const args = process.argv.slice(2);
const isPath = (arg: string): boolean => arg.endsWith('.ts') || (!arg.startsWith('-') && existsSync(arg));
const wanted = args.filter(isPath);
const files = (wanted.length === 0 ? EVERYDAY : wanted).flatMap((path) => {
  const found = globSync(path.endsWith('.ts') ? path : `${path}/**/*.test.ts`);
  if (found.length === 0) throw new Error(`${path} has no tests`);
  return found;
});
const options = args.filter((arg) => !isPath(arg));
process.env.TMPDIR = memoryFolder();
const server = process.env.TEST_DATABASE_URL ? null : await startTestServer();
if (server !== null) process.once('exit', server.stopNow);
const folder = mkdtempSync(join(tmpdir(), 'posthorn-tests-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const timesFile = join(folder, 'times');

// Many processes load the same sources: without it each compiles them anew, which is a third of the whole.
const cache = fileURLToPath(new URL('../node_modules/.cache/posthorn-tests/', import.meta.url));

// Many tests wait for a process or a clock: one more process than there are cores runs at a time. By default Node leaves a
// core free, and of two that is half.
const concurrency = `--test-concurrency=${availableParallelism() + 1}`;
// A test that waits for what never comes fails, and what it left behind keeps its process for a minute more. With
// --test-force-exit instead, Node loses results that are still on their way to the parent.
const limits = ['--test-timeout=300000'];
const processes = writeTestProcesses(files, folder);
const tests = spawn(process.execPath, ['--test', concurrency, ...limits, ...options, ...processes], {
  stdio: 'inherit',
  env: {
    NODE_COMPILE_CACHE: cache,
    TEST_USED_FOLDER: folder,
    TEST_TIMES_FILE: timesFile,
    ...process.env,
    ...(server !== null && { TEST_DATABASE_URL: server.url }),
  },
});
// A terminal sends Ctrl-C to the tests too; they end, and this after them.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => tests.kill());
tests.once('exit', (code, signal) => {
  for (const line of longest()) process.stdout.write(`${line}\n`);
  process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
});

/** The processes that took longest, with the seconds of processor that they and their services used. */
function longest(): string[] {
  if (!existsSync(timesFile)) return [];
  return readFileSync(timesFile, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' '))
    .toSorted(([, one], [, other]) => Number(other) - Number(one))
    .slice(0, SHOWN_PROCESSES)
    .map(([processor, seconds, file]) => `ℹ ${seconds} s, ${processor} s of processor: ${file}`);
}
