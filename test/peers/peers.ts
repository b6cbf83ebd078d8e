/** Runs Debian's software in private instances, each with its files in a temporary folder and its ports on loopback. */
import { type ChildProcess, execFile, type ExecFileOptions, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, chmodSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventually } from '../support/eventually.ts';

/** Options for suites that start peers. */
export const withPeers = { timeout: 180_000 };
/** Options for the hooks of such suites, because the timeout of a suite does not apply to hooks. */
export const hookLimit = { timeout: 180_000 };

const READY_MS = 15_000;
const STOP_MS = 5_000;
/**
 * Below the range of ports for outgoing connections, so that no connection can take a port after it was chosen and before the peer listens
 * on it.
 */
const FIRST_PORT = 10_000;
const PORTS = 20_000;

/** Checks that a program is installed. @returns its path @throws Error if the program is not installed */
export function requireProgram(path: string, debianPackage: string): string {
  try {
    accessSync(path, constants.X_OK);
  } catch {
    throw new Error(`${path} is missing: apt-get install ${debianPackage}`);
  }
  return path;
}

/** Creates a temporary folder that other accounts may traverse. */
export function peerFolder(name: string): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), `posthorn-${name}-`));
  chmodSync(path, 0o755);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 10 }) };
}

/** A free port, for programs that cannot choose a port themselves. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    const probe = createServer();
    try {
      probe.listen(port, '127.0.0.1');
      await once(probe, 'listening');
      return port;
    } catch {
      // The port is in use, so try another port.
    } finally {
      probe.close();
    }
  }
}

export interface Account {
  uid: number;
  gid: number;
}

interface DaemonOptions {
  args: readonly string[];
  /** The account that runs the program, by default the current user. */
  runAs?: Account;
  /** The signal that ends the program cleanly, together with its children. */
  stopSignal: 'SIGTERM' | 'SIGINT';
  isReady: () => Promise<boolean> | boolean;
  /** The timeout of the start, in milliseconds. */
  readyMs?: number;
}

/**
 * Starts a program in the foreground, and resolves when the program is ready. The program ends when the result is disposed of, or when this
 * process dies.
 * @throws Error with the program's output if the program ends early or is not ready in time
 */
export async function startDaemon(program: string, options: DaemonOptions): Promise<AsyncDisposable> {
  const { args, runAs, stopSignal, isReady, readyMs = READY_MS } = options;
  const child = spawn(program, args, { ...runAs, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
  await once(child, 'spawn');
  const guard = startGuard(child.pid as number, stopSignal);
  child.once('exit', () => guard.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
    });
  }
  const isOver = await eventually(async () => hasEnded(child) || (await isReady()), readyMs);
  if (isOver && !hasEnded(child)) return { [Symbol.asyncDispose]: () => stopChild(child, stopSignal) };
  await stopChild(child, stopSignal);
  throw new Error(`${program} ${isOver ? 'ended' : 'was not ready in time'}:\n${output}`);
}

/** The user and group ids of an account of this machine, for files and for programs that root starts. */
export function account(name: string): Account {
  const id = (option: string): number => Number(execFileSync('id', [option, name], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

export function isRoot(): boolean {
  return process.geteuid?.() === 0;
}

/**
 * Runs a program to its end, for at most 30 s.
 * @throws Error with the program's output if the program fails
 */
export function run(program: string, args: readonly string[], options: ExecFileOptions = {}) {
  return promisify(execFile)(program, args, { cwd: '/', timeout: 30_000, maxBuffer: 2 ** 26, ...options });
}

/** Runs a script with Debian's Python, which has Debian's modules. Input and output are JSON. */
export async function runPython<T>(script: URL, input: unknown): Promise<T> {
  const python = requireProgram('/usr/bin/python3', 'python3');
  const running = run(python, ['-I', fileURLToPath(script)]);
  // Ignore EPIPE, because a program that ends before it has read all input reports the reason itself.
  running.child.stdin?.on('error', () => {}).end(JSON.stringify(input));
  return JSON.parse(String((await running).stdout)) as T;
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/**
 * Starts a guard that sends a signal to a process when this process ends in any way, because the pipe to the guard then closes.
 * PR_SET_PDEATHSIG cannot be used: programs that change their user lose this setting.
 */
function startGuard(pid: number, signal: NodeJS.Signals): ChildProcess {
  const wait = `read -r line; kill -s ${signal.slice('SIG'.length)} ${pid}`;
  // Detach the guard from this process group, because Ctrl-C sends a signal to the whole group.
  return spawn('sh', ['-c', wait], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
}

async function stopChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(timer);
}
