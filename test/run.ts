/**
 * Runs tests with one PostgreSQL for all of them: `node test/run.ts [folder, file or option of node --test]...`
 * Without folders and files it runs the everyday suite: all tests that need no other software, except the fault tests.
 * With `--again`, files that failed run once more, each alone, and both results are printed (docs/decisions/0096-run-again.md).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { memoryFolder } from './support/memory-folder.ts';
import { LARGE_YOUNG_GENERATION } from './support/node-flags.ts';
import { startTestServer } from './support/postgres.ts';
import { EVERYDAY, writeTestProcesses } from './support/test-processes.ts';

const SHOWN_PROCESSES = 3;
const AGAIN = '--again';
/** Failed files run again only if there are at most this many. More failures do not happen by chance. */
const MAX_AGAIN = 2;

const args = process.argv.slice(2);
const isPath = (arg: string): boolean => arg.endsWith('.ts') || (!arg.startsWith('-') && existsSync(arg));
const paths = args.filter(isPath);
const files = (paths.length === 0 ? EVERYDAY : paths).flatMap((path) => {
  const found = globSync(path.endsWith('.ts') ? path : `${path}/**/*.test.ts`);
  if (found.length === 0) throw new Error(`${path} has no test files. Pass a folder or file with tests`);
  return found;
});
const options = args.filter((arg) => !isPath(arg) && arg !== AGAIN);
process.env.TMPDIR = memoryFolder();
const server = process.env.TEST_DATABASE_URL ? null : await startTestServer();
if (server !== null) process.once('exit', server.stopNow);
const folder = mkdtempSync(join(tmpdir(), 'posthorn-tests-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

// Many processes load the same sources. Without a shared compile cache, compiling would take a third of the total time.
const cache = fileURLToPath(new URL('../node_modules/.cache/posthorn-tests/', import.meta.url));
// Resolves modules with the fast hook of the service, which saves time in each process.
const QUICK_START = ['--import', new URL('../src/quick-start.js', import.meta.url).href];

// Many tests wait for a process or a clock, so run two more processes than there are cores. Node's default leaves one core unused, which
// would be half of a machine with two cores.
const CONCURRENCY = availableParallelism() + 2;
// A test that waits for an event that never occurs fails at this limit. Do not use --test-force-exit: it would end such a process at once,
// but results that have not reached the parent process yet would be lost.
const limits = ['--test-timeout=600000'];
// A terminal sends Ctrl-C to the test processes too, and this process must not end before they do.
process.on('SIGINT', () => {});

const processes = writeTestProcesses(files, folder);
const { code, ended } = await run(
  processes.map(({ program }) => program),
  CONCURRENCY,
);
let exitCode = code;
const closing = longest(ended);
const failed = processes.filter(({ name }) => ended.find((each) => each.name === name)?.code !== 0);
if (code === 1 && args.includes(AGAIN) && failed.length <= MAX_AGAIN) {
  exitCode = 0;
  for (const { name, program } of failed) {
    process.stdout.write(`\nℹ ${name} failed, and runs again alone\n`);
    const again = await run([program], 1);
    if (again.code !== 0) exitCode = again.code;
    closing.push(
      again.code === 0
        ? `ℹ flaky: ${name} failed beside others, and passed alone`
        : `✖ ${name} failed twice, beside others and alone`,
    );
  }
}
for (const line of closing) process.stdout.write(`${line}\n`);
process.exit(exitCode);

interface Ended {
  name: string;
  code: number;
  seconds: number;
  processorSeconds: number;
}

/** @returns Node's exit code, and the record that each process wrote at its end. A killed process writes no record */
async function run(
  programs: readonly string[],
  concurrency: number,
): Promise<{ code: number; ended: Ended[] }> {
  const timesFile = join(mkdtempSync(join(folder, 'times-')), 'times');
  const tests = spawn(
    process.execPath,
    [
      ...LARGE_YOUNG_GENERATION,
      ...QUICK_START,
      '--test',
      `--test-concurrency=${concurrency}`,
      ...limits,
      ...options,
      ...programs,
    ],
    {
      stdio: 'inherit',
      env: {
        NODE_COMPILE_CACHE: cache,
        TEST_USED_FOLDER: folder,
        ...process.env,
        TEST_TIMES_FILE: timesFile,
        ...(server !== null && { TEST_DATABASE_URL: server.url }),
      },
    },
  );
  const end = () => tests.kill();
  process.on('SIGTERM', end);
  const [code, signal] = (await once(tests, 'exit')) as [number | null, NodeJS.Signals | null];
  process.off('SIGTERM', end);
  const times = existsSync(timesFile) ? readFileSync(timesFile, 'utf8') : '';
  const totalTimesFile = process.env['TEST_TIMES_FILE'];
  if (totalTimesFile !== undefined) appendFileSync(totalTimesFile, times);
  return { code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]), ended: endedOf(times) };
}

function endedOf(times: string): Ended[] {
  return times
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [processorSeconds, seconds, code, name = ''] = line.split(' ');
      return {
        name,
        code: Number(code),
        seconds: Number(seconds),
        processorSeconds: Number(processorSeconds),
      };
    });
}

/** The processes that took longest, with the processor time of each process and its services. */
function longest(ended: readonly Ended[]): string[] {
  return ended
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, SHOWN_PROCESSES)
    .map(
      ({ name, seconds, processorSeconds }) => `ℹ ${seconds} s, ${processorSeconds} s of processor: ${name}`,
    );
}
