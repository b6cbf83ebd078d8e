/** Runs the program `posthorn`. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../../src/doors/cli/program.ts';
import { SECRET, type TestDatabase } from './postgres.ts';

const PROGRAM = fileURLToPath(new URL('../../src/doors/cli/main.ts', import.meta.url));

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

type Environment = Readonly<Record<string, string>>;

/** The output of the command that is running. */
const printed = new AsyncLocalStorage<Pick<Ran, 'stdout' | 'stderr'>>();
/** Thrown when the command calls process.exit. */
class ExitCalled extends Error {}

for (const name of ['stdout', 'stderr'] as const) {
  const stream = process[name];
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    const own = printed.getStore();
    if (own === undefined) return write(chunk, ...rest);
    own[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    const last = rest.at(-1);
    if (typeof last === 'function') queueMicrotask(last as () => void);
    return true;
  };
}
const exit = process.exit.bind(process);
process.exit = (code) => {
  if (printed.getStore() === undefined) return exit(code);
  process.exitCode = code ?? process.exitCode ?? 0;
  throw new ExitCalled();
};

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command in this process, because starting a process takes ten times as long as most commands. Commands run one after the other,
 * because they share the environment variables of this process.
 * @param env added to the environment of the tests
 */
export function posthorn(env: Environment, ...args: string[]): Promise<Ran> {
  const ran = last.then(() => runHere(env, args));
  last = ran.catch(() => {});
  return ran;
}

function exitCode(): number {
  return Number(process.exitCode ?? 0);
}

async function runHere(env: Environment, args: readonly string[]): Promise<Ran> {
  const before = { ...process.env };
  const codeBefore = process.exitCode;
  const own = { stdout: '', stderr: '' };
  Object.assign(process.env, env);
  process.exitCode = undefined;
  try {
    await printed.run(own, () => runProgram(args));
  } catch (error) {
    if (!(error instanceof ExitCalled)) throw error;
  } finally {
    for (const name of Object.keys(env)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
  const code = exitCode();
  process.exitCode = codeBefore;
  return { code, ...own };
}

/** Runs a command in a new process. @param env added to the environment of the tests */
export function posthornProcess(env: Environment, ...args: string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...env } };
    execFile(process.execPath, [PROGRAM, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/** The environment that makes a command use a test database. */
export function environmentOf({ url }: TestDatabase): Record<string, string> {
  return { POSTHORN_DATABASE_URL: url, POSTHORN_SECRET: SECRET };
}
