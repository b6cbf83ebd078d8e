/**
 * An SMTP server that accepts everything, keeps nothing and counts. Debian's smtp-sink where there is one, else
 * bench/sink.ts. It goes on listening after the last message: a client that never sees its last reply tries again.
 */
import { closeSync, existsSync, openSync, readSync, fstatSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { waitForPort } from './ports.ts';
import { startProcess, stopProcess } from './processes.ts';

const SMTP_SINK = '/usr/sbin/smtp-sink';
const BACKLOG = 2000;
const POLL_MS = 5;

export interface Sink {
  /** Messages received so far. */
  count(): number;
  /** Resolves with Date.now() once `total` messages have come. @throws Error after the timeout. */
  waitFor(total: number, timeoutMs: number): Promise<number>;
  stop(): Promise<void>;
}

/** @param folder where the running count is written: a file costs the sink less than a pipe that someone reads. */
export async function startSink(port: number, folder: string): Promise<Sink> {
  const path = join(folder, `sink-${port}`);
  const output = openSync(path, 'w');
  const own = fileURLToPath(new URL('../sink.ts', import.meta.url));
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const [command, ...args] = existsSync(SMTP_SINK)
    ? [SMTP_SINK, '-c', '-4', ...user, `127.0.0.1:${port}`, String(BACKLOG)]
    : [process.execPath, own, String(port), String(BACKLOG)];
  const child = startProcess(command ?? '', args, { stdio: ['ignore', output, 'ignore'] });
  closeSync(output);
  await waitForPort(port, 10_000);
  const count = (): number => readCount(path);
  return {
    count,
    waitFor: async (total, timeoutMs) => {
      const until = Date.now() + timeoutMs;
      while (count() < total) {
        if (Date.now() > until)
          throw new Error(`the sink has ${count()} of ${total} messages after ${timeoutMs} ms`);
        await sleep(POLL_MS);
      }
      return Date.now();
    },
    stop: () => stopProcess(child),
  };
}

/** Both kinds write `mesg=<count>` again and again. */
function readCount(path: string): number {
  const file = openSync(path, 'r');
  try {
    const tail = Buffer.alloc(200);
    const length = readSync(file, tail, 0, tail.length, Math.max(0, fstatSync(file).size - tail.length));
    return Number(/.*mesg=(\d+)\D/s.exec(tail.toString('latin1', 0, length))?.[1] ?? 0);
  } finally {
    closeSync(file);
  }
}
