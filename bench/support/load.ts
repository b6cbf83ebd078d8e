/** Runs the load generator, bench/load.ts, and rejects reports with errors. */
import { fileURLToPath } from 'node:url';
import { runProcess } from './processes.ts';

export interface LoadJob {
  /** The port of the server on 127.0.0.1. */
  port: number;
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  /** The body. The first run of `#` is replaced by the number of the request, padded to the same length, or by a line of `linesPath`. */
  body: string | null;
  /** The path of a file with the body, for a body that is too long for an argument. No number is inserted into this body. */
  bodyPath: string | null;
  /** The path of a file with a line for each request, all as long as the run of `#`. */
  linesPath: string | null;
  /** The number of connections. Each connection sends its next request after the response to its previous request has arrived. */
  connections: number;
  /** The number of requests per second; null to send as fast as responses arrive. Latency is measured from a request's due time. */
  ratePerSecond: number | null;
  /** Whether to skip requests that are due while no connection is free, so that no backlog is sent later. Only with a rate. */
  dropsLate: boolean;
  /** The duration of the warm-up. Requests during the warm-up are not reported. */
  warmupMs: number;
  /** Sending ends after this number of requests or after `durationMs`, whichever is earlier. Pending responses are awaited. */
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
  /** The start of the measurement, on the clock of `Date.now()`. */
  startedAtMs: number;
  /** The processor time of the load generator. */
  cpuSeconds: number;
  /** The number of responses with each unexpected status. */
  unexpected: Record<string, number>;
  /** The body of the first response with an unexpected status. */
  sample: string;
}

const GENERATOR = fileURLToPath(new URL('../load.ts', import.meta.url));
/** The additional time for starting the process and for the last responses. */
const GRACE_MS = 30_000;
const CONNECTIONS = 64;

type Target = Pick<LoadJob, 'port' | 'method' | 'path' | 'headers' | 'body' | 'expectStatus'>;
type Load = Partial<LoadJob> & Pick<LoadJob, 'maxRequests' | 'durationMs'>;

/** Runs a load. @throws Error if a request failed or returned an unexpected status, because the figures would then be meaningless */
export async function runLoad(target: Target, load: Load): Promise<LoadReport> {
  const report = await tryLoad(target, load);
  if (Object.keys(report.unexpected).length > 0) {
    throw new Error(
      `${target.method} ${target.path} returned ${JSON.stringify(report.unexpected)}: ${report.sample}`,
    );
  }
  return report;
}

/** Runs a load whose requests may be rejected. The report has the number of rejections. @throws Error if a request failed */
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

/** A POST request for an email with `htmlBytes` of HTML, without text, and with a new recipient each time. */
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

/** How many small emails per second are sent beside the work that a part measures. */
const API_PER_SECOND = 100;

/** Measures how fast the API accepts small emails that are sent at a fixed rate. @param token an API key */
export function measureApi(port: number, token: string, durationMs: number) {
  return runLoad(sendEmail(port, 2_048, token), {
    connections: 16,
    ratePerSecond: API_PER_SECOND,
    warmupMs: 200,
    durationMs,
    maxRequests: 1_000_000,
  });
}
