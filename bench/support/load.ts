/** Runs the load generator, bench/load.ts, and rejects reports with errors. */
import { fileURLToPath } from 'node:url';
import { runProcess } from './processes.ts';

export interface LoadJob {
  /** The port on 127.0.0.1. */
  port: number;
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  /** The first run of `#` is replaced by the number of the request, padded to the same length, or by the request's line in `linesPath`. */
  body: string | null;
  /** The path of a file with the body, for a body that is too long for an argument. No number is inserted into this body. */
  bodyPath: string | null;
  /** Path of a file with a line for each request, all as long as the run of `#`. */
  linesPath: string | null;
  /** Each connection sends its next request once the response to the last has arrived. */
  connections: number;
  /** Requests per second by the clock. Latency counts from the time at which a request was due. Null to send as fast as responses arrive. */
  ratePerSecond: number | null;
  /** With a rate: skips requests that find no free connection in time, so that no backlog is sent later. */
  dropsLate: boolean;
  /** The time before the measurement during which requests are sent but not reported. */
  warmupMs: number;
  /** Sending ends after this many requests or this time, whichever comes first; pending responses are awaited. */
  maxRequests: number;
  durationMs: number;
  timeoutMs: number;
  /** The status that every response must have; null for any status. */
  expectStatus: string | null;
}

export interface LoadReport {
  requests: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** Start of the measurement, on the clock of Date.now(). */
  startedAtMs: number;
  /** Processor time of the generator. */
  cpuSeconds: number;
  /** Number of responses for each unexpected status. */
  unexpected: Record<string, number>;
  /** The body of the first such response. */
  sample: string;
}

const GENERATOR = fileURLToPath(new URL('../load.ts', import.meta.url));
/** Additional time for the last responses and the start of the process. */
const GRACE_MS = 30_000;
const CONNECTIONS = 64;

type Target = Pick<LoadJob, 'port' | 'method' | 'path' | 'headers' | 'body' | 'expectStatus'>;
type Load = Partial<LoadJob> & Pick<LoadJob, 'maxRequests' | 'durationMs'>;

/** @throws Error if a request failed or returned another status, since the run would measure something else */
export async function runLoad(target: Target, load: Load): Promise<LoadReport> {
  const report = await tryLoad(target, load);
  if (Object.keys(report.unexpected).length > 0) {
    throw new Error(
      `${target.method} ${target.path} returned ${JSON.stringify(report.unexpected)}: ${report.sample}`,
    );
  }
  return report;
}

/** For requests that may be rejected: the report counts rejections. @throws Error if a request failed */
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

/** A POST of an email with `htmlBytes` of HTML, no text, and a new recipient each time. */
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

/** Rate of small emails during the work of a part. */
const API_PER_SECOND = 100;

/** Measures how fast the API accepts small emails at a fixed rate. @param token an API key */
export function measureApi(port: number, token: string, durationMs: number) {
  return runLoad(sendEmail(port, 2_048, token), {
    connections: 16,
    ratePerSecond: API_PER_SECOND,
    warmupMs: 200,
    durationMs,
    maxRequests: 1_000_000,
  });
}
