/** Describes the machine, because figures from different machines cannot be compared. */
import { closeSync, fdatasyncSync, openSync, readFileSync, realpathSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { findBinaries } from '../../src/installation/embedded/binaries.ts';
import { runProcess } from './processes.ts';

export interface Machine {
  cpu: string;
  cores: number;
  memoryGb: number;
  kernel: string;
  node: string;
  postgresql: string;
  postfix: string;
  /** The type of the file system that contains the data folder. */
  fileSystem: string;
  /** The number of page writes per second to a file in the data folder, each synced before the next. */
  fsyncsPerSecond: number;
}

const PAGE_BYTES = 8192;
const FSYNC_TEST_MS = 1000;

export async function describeMachine(folder: string, postfixMissing: string | null): Promise<Machine> {
  const { postgres, env } = findBinaries(folder);
  const version = await runProcess(postgres, ['--version'], { env, timeoutMs: 10_000 });
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Number((totalmem() / 1e9).toFixed(1)),
    kernel: release(),
    node: process.version,
    postgresql: version.replace('postgres (PostgreSQL)', '').trim(),
    postfix:
      postfixMissing === null
        ? (await runProcess('/usr/sbin/postconf', ['-d', '-h', 'mail_version'], { timeoutMs: 10_000 })).trim()
        : 'none',
    fileSystem: fileSystemOf(folder),
    fsyncsPerSecond: measureFsync(folder),
  };
}

export function formatMachine(machine: Machine): string {
  const { cpu, cores, memoryGb, kernel, node, postgresql, postfix, fileSystem, fsyncsPerSecond } = machine;
  return [
    `${cpu}, ${cores} cores, ${memoryGb} GB of memory, Linux ${kernel}`,
    `Node ${node}, PostgreSQL ${postgresql}, Postfix ${postfix}`,
    `data on ${fileSystem}, ${fsyncsPerSecond} fsyncs per second`,
  ].join('\n');
}

/** The type of the mount with the longest path that contains the folder (proc_pid_mountinfo(5)). */
function fileSystemOf(folder: string): string {
  const path = `${realpathSync(folder)}/`;
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => ({ point: line.split(' ')[4] ?? '', type: / - (\S+)/.exec(line)?.[1] ?? '' }))
    .filter(({ point, type }) => type !== '' && path.startsWith(point.endsWith('/') ? point : `${point}/`));
  return mounts.sort((a, b) => b.point.length - a.point.length)[0]?.type ?? 'unknown';
}

function measureFsync(folder: string): number {
  const path = join(folder, 'fsync-test');
  const file = openSync(path, 'w');
  const page = Buffer.alloc(PAGE_BYTES, 1);
  const from = performance.now();
  let count = 0;
  while (performance.now() - from < FSYNC_TEST_MS) {
    writeSync(file, page, 0, page.length, 0);
    fdatasyncSync(file);
    count++;
  }
  closeSync(file);
  rmSync(path);
  return Math.round((count * 1000) / (performance.now() - from));
}
