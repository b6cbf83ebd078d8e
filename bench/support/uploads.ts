/** Runs bench/uploads.ts, which sends request bodies without finishing them. */
import { fileURLToPath } from 'node:url';
import { runProcess } from './processes.ts';

export interface UploadJob {
  /** The port of the server on 127.0.0.1. */
  port: number;
  token: string;
  connections: number;
  /** The time for which the connections stay open. */
  durationMs: number;
}

const UPLOADS = fileURLToPath(new URL('../uploads.ts', import.meta.url));
const GRACE_MS = 60_000;

/** @returns the number of responses by status; `kept` is the number of connections that the server kept open without responding */
export async function runUploads(job: UploadJob): Promise<Record<string, number>> {
  const output = await runProcess(process.execPath, [UPLOADS, JSON.stringify(job)], {
    timeoutMs: job.durationMs + GRACE_MS,
  });
  return JSON.parse(output);
}
