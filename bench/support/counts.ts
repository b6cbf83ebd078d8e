/**
 * The counters of a sink. The sink writes all counters as `<name>=<count>` to its stdout whenever they have changed. Its stdout is a file,
 * because writing to a file costs the sink less than a pipe with a reader.
 */
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const WRITE_MS = 5;
const POLL_MS = 5;
const TAIL_BYTES = 200;

/** Writes the counters repeatedly until the process ends. */
export function writeCounts(counts: Readonly<Record<string, number>>): void {
  let written = '';
  setInterval(() => {
    const line = Object.entries(counts)
      .map(([name, count]) => `${name}=${count}`)
      .join(' ');
    if (line !== written) writeSync(1, `${line}\r`);
    written = line;
  }, WRITE_MS);
}

/** @returns the latest count; 0 before the first count is written */
export function readCount(path: string, name: string): number {
  const file = openSync(path, 'r');
  try {
    const tail = Buffer.alloc(TAIL_BYTES);
    const length = readSync(file, tail, 0, tail.length, Math.max(0, fstatSync(file).size - tail.length));
    const found = new RegExp(`.*\\b${name}=(\\d+)\\D`, 's').exec(tail.toString('latin1', 0, length));
    return Number(found?.[1] ?? 0);
  } finally {
    closeSync(file);
  }
}

/** Resolves with Date.now() once the count is `total`. @throws Error after the timeout */
export async function waitForCount(
  path: string,
  name: string,
  total: number,
  timeoutMs: number,
): Promise<number> {
  const until = Date.now() + timeoutMs;
  for (let count = readCount(path, name); count < total; count = readCount(path, name)) {
    if (Date.now() > until)
      throw new Error(`The sink has ${count} of ${total} messages after ${timeoutMs} ms`);
    await sleep(POLL_MS);
  }
  return Date.now();
}
