/**
 * An SMTP server that accepts and counts all messages and stores none: Debian's smtp-sink if installed, otherwise bench/sink.ts. The server
 * keeps listening after the last message, because a client that misses the last reply retries.
 */
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCount, waitForCount } from './counts.ts';
import { waitForPort } from './ports.ts';
import { startProcess, stopProcess } from './processes.ts';

const SMTP_SINK = '/usr/sbin/smtp-sink';
const BACKLOG = 2000;
/** The name of the message counter in smtp-sink and bench/sink.ts. */
const COUNT = 'mesg';

export interface Sink {
  /** The number of messages received so far. */
  count(): number;
  /** Resolves with Date.now() once `total` messages have arrived. @throws Error after the timeout */
  waitFor(total: number, timeoutMs: number): Promise<number>;
  stop(): Promise<void>;
}

/** @param folder the folder for the file with the counter */
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
  return {
    count: () => readCount(path, COUNT),
    waitFor: (total, timeoutMs) => waitForCount(path, COUNT, total, timeoutMs),
    stop: () => stopProcess(child),
  };
}
