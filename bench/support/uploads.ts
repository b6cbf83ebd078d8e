/** Runs bodies that do not end, bench/uploads.ts. */
import { fileURLToPath } from 'node:url';
import { runProcess } from './processes.ts';

export interface UploadJob {
  /** The port on 127.0.0.1. */
  port: number;
  token: string;
  connections: number;
  /** For how long they are kept. */
  durationMs: number;
}

const UPLOADS = fileURLToPath(new URL('../uploads.ts', import.meta.url));
const GRACE_MS = 60_000;

/** @returns how many were answered with each status; `kept`: those that were neither answered nor closed */
export async function runUploads(job: UploadJob): Promise<Record<string, number>> {
  const output = await runProcess(process.execPath, [UPLOADS, JSON.stringify(job)], {
    timeoutMs: job.durationMs + GRACE_MS,
  });
  return JSON.parse(output);
}
