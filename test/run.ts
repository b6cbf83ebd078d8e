/**
 * Runs tests with one PostgreSQL for all of them: `node test/run.ts [file or option of node --test]...`
 * Without files it runs every `*.test.ts` below src, test and sdk.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTestServer } from './support/postgres.ts';

const args = process.argv.slice(2);
const files = args.some((arg) => arg.endsWith('.ts'))
  ? []
  : ['src/**/*.test.ts', 'test/**/*.test.ts', 'sdk/**/*.test.ts'];
const server = process.env.TEST_DATABASE_URL ? null : await startTestServer();
if (server !== null) process.once('exit', server.stopNow);
const usedFolder = mkdtempSync(join(tmpdir(), 'posthorn-used-'));
process.once('exit', () => rmSync(usedFolder, { recursive: true, force: true }));

// Hundreds of processes load the same sources: without it each compiles them anew, which is a third of the whole.
const cache = fileURLToPath(new URL('../node_modules/.cache/posthorn-tests/', import.meta.url));

// Most tests wait for a process or a clock; by default Node leaves one core free, and of two that is half.
const concurrency = `--test-concurrency=${Math.max(availableParallelism(), 2)}`;
// A test that waits for what never comes fails, and what it left behind keeps its file for a minute more. With
// --test-force-exit instead, Node loses results that are still on their way to the parent.
const limits = [
  '--test-timeout=300000',
  `--import=${new URL('./support/file-limit.ts', import.meta.url).href}`,
];
const tests = spawn(process.execPath, ['--test', concurrency, ...limits, ...args, ...files], {
  stdio: 'inherit',
  env: {
    NODE_COMPILE_CACHE: cache,
    TEST_USED_FOLDER: usedFolder,
    ...process.env,
    ...(server !== null && { TEST_DATABASE_URL: server.url }),
  },
});
// A terminal sends Ctrl-C to the tests too; they end, and this after them.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => tests.kill());
tests.once('exit', (code, signal) =>
  process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
);
