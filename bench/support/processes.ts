/**
 * Tracks every process that the benchmark starts, so that no process outlives the benchmark. Each process is ended by its pid, with its
 * descendants: after its part, after an error, and when the benchmark is interrupted.
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ProcessInfo, processGroupTree, readProcess } from './process-tree.ts';

const STOP_TIMEOUT_MS = 15_000;
const STOP_POLL_MS = 20;

/** Recognizes the leader of a process group, which is the process that ends the other processes of the group when it gets SIGTERM. */
type Leader = (info: ProcessInfo) => boolean;

/** The running process groups, by group id (the pid of the child). A child such as npm may end before the processes that it started. */
const running = new Map<number, Leader>();
let closed = false;

/**
 * Starts a process in a new process group, so that the terminal's Ctrl-C does not reach the process: this module ends processes in order.
 * @param leader recognizes the process of the group that gets SIGTERM at the end; by default the started process. Pass it if the started
 * process would leave its children running
 */
export function startProcess(
  command: string,
  args: readonly string[],
  options: SpawnOptions = {},
  leader?: Leader,
): ChildProcess {
  if (closed) throw new Error('The benchmark is ending');
  const child = spawn(command, args, { stdio: 'ignore', ...options, detached: true });
  const { pid: group } = child;
  if (group === undefined) {
    child.once('error', () => {});
    throw new Error(`Cannot start ${command}`);
  }
  running.set(group, leader ?? (({ pid }) => pid === group));
  child.once('exit', () => {
    if (processGroupTree(group).length === 0) running.delete(group);
  });
  return child;
}

/** Runs a process to its end. @returns the output @throws Error if the process fails or takes too long */
export async function runProcess(
  command: string,
  args: readonly string[],
  options: SpawnOptions & { timeoutMs: number },
): Promise<string> {
  const child = startProcess(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const timer = setTimeout(() => kill(processGroupTree(child.pid ?? 0)), options.timeoutMs);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const [code, signal]: (number | string | null)[] = await once(child, 'close');
  clearTimeout(timer);
  if (code === 0) return stdout();
  const reason = signal == null ? `ended with ${code}` : `was ended by ${signal}`;
  throw new Error(`${[command, ...args].join(' ').slice(0, 100)} ${reason}: ${stderr().trim().slice(-2000)}`);
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = '';
  stream?.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-1_000_000);
  });
  return () => text;
}

/** Sends SIGTERM to a process and waits for the process and its descendants. After a timeout, kills the remaining processes. */
export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.pid !== undefined) await stopGroup(child.pid);
}

async function stopGroup(group: number): Promise<void> {
  const leader = running.get(group);
  if (leader === undefined) return;
  const tree = processGroupTree(group);
  const leaderInfo = tree.find(leader) ?? tree[0];
  if (leaderInfo !== undefined) send(leaderInfo.pid, 'SIGTERM');
  for (const until = Date.now() + STOP_TIMEOUT_MS; tree.some(isAlive) && Date.now() < until; )
    await sleep(STOP_POLL_MS);
  // A process started after the first scan is still in the group.
  kill([...tree, ...processGroupTree(group)]);
  running.delete(group);
}

export async function stopAll(): Promise<void> {
  await Promise.all([...running.keys()].map(stopGroup));
}

/** Stops all running processes and prevents other processes from starting. */
export async function closeDown(): Promise<void> {
  closed = true;
  await stopAll();
}

/** Kills all running processes. Synchronous, because exit handlers must be. */
export function killAll(): void {
  for (const group of running.keys()) kill(processGroupTree(group));
}

function isAlive({ pid, startTicks }: ProcessInfo): boolean {
  return readProcess(pid)?.startTicks === startTicks;
}

function kill(tree: readonly ProcessInfo[]): void {
  for (const info of tree) if (isAlive(info)) send(info.pid, 'SIGKILL');
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has already ended.
  }
}
