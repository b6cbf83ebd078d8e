/**
 * The load generator: HTTP/1.1 over raw keep-alive sockets, in a separate process so that its work is not measured as work of the server.
 * The argument is a job (JSON), and the output is one report (JSON).
 */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import type { LoadJob, LoadReport } from './support/load.ts';
import { percentile } from './support/stats.ts';

const MAX_HEAD_BYTES = 16_384;
const SAMPLE_BYTES = 500;
const HEAD_END = Buffer.from('\r\n\r\n');

interface Connection {
  socket: Socket;
  /**
   * The whole request. The number in it is overwritten for each request, which is safe once the response to the previous request has
   * arrived.
   */
  request: Buffer;
  /** The time at which the request was due. Latency is measured from this time. */
  startedMs: number;
  /** The number of response body bytes that have not arrived yet. */
  remaining: number;
  /** The incomplete head of a response, or null. */
  partialHead: Buffer | null;
}

const job: LoadJob = JSON.parse(process.argv[2] ?? '');
const intervalMs = job.ratePerSecond === null ? 0 : 1000 / job.ratePerSecond;
const latencies = new Float64Array(job.maxRequests);
const unexpected: Record<string, number> = {};
const lines = job.linesPath === null ? null : readFileSync(job.linesPath, 'latin1').split('\n');
const { request: requestBytes, counterAt, counterDigits } = buildRequest(job);

let firstSample = '';
let measureFromMs = Number.POSITIVE_INFINITY;
let started = 0;
let startedInMeasure = 0;
let measured = 0;
let inFlight = 0;
let originMs = 0;
let lastAnswerMs = 0;
const idle: Connection[] = [];

const connections = await Promise.all(Array.from({ length: job.connections }, openConnection));
setTimeout(() => fail(`The load did not end within ${job.timeoutMs} ms`), job.timeoutMs).unref();
originMs = performance.now();
measureFromMs = originMs + job.warmupMs;
if (job.ratePerSecond === null) for (const connection of connections) sendNow(connection);
else {
  idle.push(...connections);
  tick();
}

function buildRequest({ method, path, headers, body, bodyPath, port }: LoadJob) {
  const text = bodyPath === null ? (body ?? '') : readFileSync(bodyPath, 'utf8');
  const head = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const length = method === 'GET' ? '' : `content-length: ${Buffer.byteLength(text)}\r\n`;
  const whole = `${method} ${path} HTTP/1.1\r\n${head.join('')}${length}\r\n${text}`;
  const counter = bodyPath === null ? /#+/.exec(whole) : null;
  return {
    request: Buffer.from(counter === null ? whole : whole.replace(/#+/, (run) => '0'.repeat(run.length))),
    counterAt: counter === null ? 0 : Buffer.byteLength(whole.slice(0, counter.index)),
    counterDigits: counter?.[0].length ?? 0,
  };
}

function openConnection(): Promise<Connection> {
  return new Promise((resolve) => {
    const buffer = Buffer.allocUnsafe(65_536);
    const socket = connect({
      port: job.port,
      host: '127.0.0.1',
      noDelay: true,
      // Without this option, Node allocates a new buffer for each read.
      onread: {
        buffer,
        callback: (length) => {
          read(connection, buffer, length);
          return true;
        },
      },
    });
    const connection: Connection = {
      socket,
      request: Buffer.from(requestBytes),
      startedMs: 0,
      remaining: 0,
      partialHead: null,
    };
    socket.once('connect', () => resolve(connection));
    socket.once('error', (error) => fail(error.message));
    socket.once('close', () => fail('The server closed a keep-alive connection'));
  });
}

/** The time at which the next request is due; null if enough requests have been sent. */
function nextStart(nowMs: number): number | null {
  if (startedInMeasure >= job.maxRequests) return null;
  if (job.dropsLate) started = Math.max(started, Math.floor((nowMs - originMs) / intervalMs));
  const atMs = job.ratePerSecond === null ? nowMs : originMs + started * intervalMs;
  return atMs < measureFromMs + job.durationMs ? atMs : null;
}

function sendNow(connection: Connection): void {
  const nowMs = performance.now();
  const atMs = nextStart(nowMs);
  if (atMs === null) {
    if (inFlight === 0) finish();
    return;
  }
  if (atMs > nowMs) {
    idle.push(connection);
    return;
  }
  connection.startedMs = atMs;
  started++;
  if (atMs >= measureFromMs) startedInMeasure++;
  inFlight++;
  writeCounter(connection.request, started);
  connection.socket.write(connection.request);
}

function writeCounter(request: Buffer, counter: number): void {
  if (lines !== null) {
    request.write(lines[counter - 1] ?? '', counterAt, 'latin1');
    return;
  }
  let number = counter;
  for (let digit = counterDigits - 1; digit >= 0; digit--) {
    request[counterAt + digit] = 48 + (number % 10);
    number = Math.floor(number / 10);
  }
}

/** Sends the requests that are due. If no connection is free, a request waits, and the wait is part of its latency. */
function tick(): void {
  const nowMs = performance.now();
  for (;;) {
    const atMs = nextStart(nowMs);
    if (atMs === null) {
      if (inFlight === 0) finish();
      return;
    }
    const connection = atMs <= nowMs ? idle.shift() : undefined;
    if (connection === undefined) break;
    sendNow(connection);
  }
  setTimeout(tick, 1);
}

function read(connection: Connection, buffer: Buffer, length: number): void {
  if (connection.remaining > 0) {
    connection.remaining -= length;
  } else {
    const fresh = buffer.subarray(0, length);
    const bytes = connection.partialHead === null ? fresh : Buffer.concat([connection.partialHead, fresh]);
    const headEnd = bytes.indexOf(HEAD_END);
    if (headEnd === -1) {
      if (bytes.length > MAX_HEAD_BYTES) fail('The head of a response does not end');
      connection.partialHead = Buffer.from(bytes);
      return;
    }
    connection.partialHead = null;
    const head = bytes.toString('latin1', 0, headEnd);
    const bodyLength = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (bodyLength === undefined) fail(`A response has no Content-Length: ${head.slice(0, SAMPLE_BYTES)}`);
    const bodyAt = headEnd + HEAD_END.length;
    connection.remaining = Number(bodyLength) - (bytes.length - bodyAt);
    const status = head.slice(9, 12);
    if (job.expectStatus !== null && status !== job.expectStatus) {
      unexpected[status] = (unexpected[status] ?? 0) + 1;
      firstSample ||= bytes.toString('utf8', bodyAt, bodyAt + SAMPLE_BYTES);
    }
  }
  if (connection.remaining < 0) fail('The server sent bytes after the end of a response');
  if (connection.remaining === 0) answered(connection);
}

function answered(connection: Connection): void {
  const nowMs = performance.now();
  inFlight--;
  lastAnswerMs = nowMs;
  if (connection.startedMs >= measureFromMs) latencies[measured++] = nowMs - connection.startedMs;
  sendNow(connection);
}

function finish(): void {
  const ascending = latencies.subarray(0, measured).sort();
  const { user, system } = process.cpuUsage();
  const report: LoadReport = {
    requests: measured,
    perSecond: (measured * 1000) / (lastAnswerMs - measureFromMs),
    p50Ms: percentile(ascending, 0.5),
    p99Ms: percentile(ascending, 0.99),
    maxMs: percentile(ascending, 1),
    startedAtMs: performance.timeOrigin + measureFromMs,
    cpuSeconds: (user + system) / 1e6,
    unexpected,
    sample: firstSample,
  };
  process.stdout.write(JSON.stringify(report), () => process.exit(0));
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
