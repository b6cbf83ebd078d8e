/** Runs test files one after the other in this process and records their times. */
import { AsyncResource } from 'node:async_hooks';
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { controlPromiseTracking } from './promise-tracking.ts';
import { SHARED } from './shared.ts';

const tracking = controlPromiseTracking();
/** An asynchronous context that belongs to no suite. */
const outside = new AsyncResource('posthorn-test-files');
const { suite } = await import('node:test');

/** The time limit of a process with one file. The limit ends a process that an open server or a timer keeps alive. */
const LIMIT_MS = 900_000;
const LIMIT_FOR_FILE_MS = 60_000;
/** Times in /proc are in kernel ticks of 1/100 s. */
const TICKS = 100;

/**
 * Runs the files. If there are several, each file runs in a suite, so that `before` and `after` of a file do not apply to other files.
 * @param name the name of the process in the list of times
 */
export async function runFiles(name: string, [first, ...others]: readonly string[]): Promise<void> {
  const limitMs = LIMIT_MS + others.length * LIMIT_FOR_FILE_MS;
  setTimeout(() => {
    process.stderr.write(`${name}: still running after ${limitMs / 1_000} s, so it was ended\n`);
    process.exit(1);
  }, limitMs).unref();
  writeTimes(name);
  writeUncaught(name);
  if (first === undefined) return;
  if (others.length === 0) {
    await import(first);
    tracking.pause();
    return;
  }
  await using _ = SHARED.keep();
  // Keep the process alive while a test waits for a thread or a timer, which may not keep the process alive.
  const awake = setInterval(() => {}, LIMIT_MS);
  for (const url of [first, ...others]) {
    // The previous suite may have ended in a callback of one of its sockets. In that context, the new suite would become a part of the
    // previous suite.
    const done = outside.runInAsyncScope(() => {
      tracking.resume();
      return suite(relative(process.cwd(), fileURLToPath(url)), async () => {
        await import(url);
        tracking.pause();
      });
    });
    await done;
  }
  clearInterval(awake);
}

/**
 * Prints the stacks of uncaught errors. Such errors make the process fail, but without promise tracking `node:test` does not print their
 * stacks.
 */
function writeUncaught(name: string): void {
  const write = (error: unknown, origin: string) => {
    process.stderr.write(`${name}: ${origin}: ${error instanceof Error ? error.stack : String(error)}\n`);
  };
  process.on('uncaughtExceptionMonitor', write);
  process.on('unhandledRejection', (error) => write(error, 'unhandledRejection'));
}

function writeTimes(name: string): void {
  const timesFile = process.env['TEST_TIMES_FILE'];
  if (timesFile === undefined) return;
  process.once('exit', (code) => {
    const seconds = (performance.now() / 1_000).toFixed(1);
    appendFileSync(timesFile, `${processorSeconds().toFixed(1)} ${seconds} ${code} ${name}\n`);
  });
}

/** The processor time of this process and of its children that have ended. */
function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  let ofChildren = 0;
  try {
    // Skip the process name, which may contain blanks, then read cutime and cstime, which are fields 16 and 17 (proc_pid_stat(5)).
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    ofChildren = (Number(fields[13]) + Number(fields[14])) / TICKS;
  } catch {
    // Only Linux has this file.
  }
  return (user + system) / 1_000_000 + ofChildren;
}
