/** Runs the load generator, bench/load.ts, and refuses a report in which anything went wrong. */
import { fileURLToPath } from 'node:url';
import { runProcess } from './processes.ts';

export interface LoadJob {
  /** The port on 127.0.0.1. */
  port: number;
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  /** The first run of `#` is replaced by the number of the request, in as many digits, or else by its line. */
  body: string | null;
  /** Path of a file with the body, where it is too long to be an argument. No number is put into it. */
  bodyPath: string | null;
  /** Path of a file with a line for each request, all of them as long as the run of `#`. */
  linesPath: string | null;
  /** Each sends its next request once it has the answer to the last. */
  connections: number;
  /** Requests a second: they go by the clock, and latency counts from when one was due. Null: as fast as answers come. */
  ratePerSecond: number | null;
  /** With a rate: what finds no free connection in its time is left out, so that no backlog is sent later. */
  dropsLate: boolean;
  /** Sent before what is measured, and left out of the report. */
  warmupMs: number;
  /** Sending ends after as many requests or as long, whichever comes first; what was sent is waited for. */
  maxRequests: number;
  durationMs: number;
  timeoutMs: number;
  /** Null: any. */
  expectStatus: string | null;
}

export interface LoadReport {
  requests: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** Start of what is measured, on the clock of Date.now(). */
  startedAtMs: number;
  /** What the generator spent. */
  cpuSeconds: number;
  /** How often each status came that is not the expected one. */
  unexpected: Record<string, number>;
  /** The body of the first such answer. */
  sample: string;
}

const GENERATOR = fileURLToPath(new URL('../load.ts', import.meta.url));
/** How long the last answers, and the start of the process, may take on top. */
const GRACE_MS = 30_000;
const CONNECTIONS = 64;

type Target = Pick<LoadJob, 'port' | 'method' | 'path' | 'headers' | 'body' | 'expectStatus'>;
type Load = Partial<LoadJob> & Pick<LoadJob, 'maxRequests' | 'durationMs'>;

/** @throws Error when a request failed or was answered with another status: such a run measures something else. */
export async function runLoad(target: Target, load: Load): Promise<LoadReport> {
  const report = await tryLoad(target, load);
  if (Object.keys(report.unexpected).length > 0) {
    throw new Error(
      `${target.method} ${target.path} answered ${JSON.stringify(report.unexpected)}: ${report.sample}`,
    );
  }
  return report;
}

/** For requests of which some may be refused: the report counts them. @throws Error when a request failed */
export async function tryLoad(target: Target, load: Load): Promise<LoadReport> {
  const job: LoadJob = {
    linesPath: null,
    bodyPath: null,
    connections: CONNECTIONS,
    ratePerSecond: null,
    dropsLate: false,
    warmupMs: 0,
    timeoutMs: load.durationMs + (load.warmupMs ?? 0) + GRACE_MS,
    ...target,
    ...load,
  };
  const timeoutMs = job.timeoutMs + GRACE_MS;
  const output = await runProcess(process.execPath, [GENERATOR, JSON.stringify(job)], { timeoutMs });
  const report: LoadReport = JSON.parse(output);
  if (report.requests === 0) throw new Error(`${job.method} ${job.path}: nothing was measured`);
  return report;
}

const LINE = 'The quick brown fox jumps over the lazy dog, order 12345 shipped.\n';

/** A POST of an email with `htmlBytes` of HTML, no text, and another recipient each time. */
export function sendEmail(
  port: number,
  htmlBytes: number,
  token: string | null,
  to: string = 'b########@dst.test',
) {
  return {
    port,
    method: 'POST' as const,
    path: '/v1/emails',
    headers: {
      'content-type': 'application/json',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({
      from: 'a@src.test',
      to: [to],
      subject: 'Your order',
      html: `<p>${LINE}`.repeat(Math.ceil(htmlBytes / LINE.length)).slice(0, htmlBytes),
    }),
    expectStatus: '202',
  };
}

/** Of small emails, beside what a part of the benchmark does. */
const API_PER_SECOND = 100;

/** How soon the API takes small emails that come by the clock. @param token of the key */
export function measureApi(port: number, token: string, durationMs: number) {
  return runLoad(sendEmail(port, 2_048, token), {
    connections: 16,
    ratePerSecond: API_PER_SECOND,
    warmupMs: 200,
    durationMs,
    maxRequests: 1_000_000,
  });
}
