/** One request of the guarded client and its answer. */
import type { Dispatcher } from 'undici';
import { LookupRefused } from './guarded-lookup.ts';
import { truncateUtf8, decodeTruncated } from './truncate-utf8.ts';

/** Read to its end up to this, so that the connection can be used again; a longer body is broken off. */
const MAX_READ_BYTES = 64 * 1024;
const MAX_ERROR_BYTES = 500;

export interface PostResult {
  /** Null: there was no answer, and `error` says why. An answer counts from its status line on, even when its body breaks off. */
  httpStatus: number | null;
  /** For whoever chose the URL. Null when there was an answer. */
  error: string | null;
  durationMs: number;
  /** At most 4 KB of UTF-8, without NUL. */
  responseBody: string;
  /** There was more than that, or the body broke off. */
  responseTruncated: boolean;
}

export interface GetResult extends PostResult {
  /** The field of the answer as it stands. */
  contentType: string | null;
  /** Of Node, OpenSSL or undici, where `error` has one. */
  errorCode: string | null;
}

/**
 * What undici tells of an answer, without a stream and a signal per request: those cost more than all the rest. It is
 * over once, with the first of: the end of the answer, an error, the end of its time, the caller's signal.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #startedMs = performance.now();
  readonly #timeoutMs: number;
  readonly #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal | undefined;
  readonly #resolve: (result: GetResult) => void;
  readonly #maxKeptBytes: number;
  #controller: Dispatcher.DispatchController | null = null;
  #httpStatus: number | null = null;
  #contentType: string | null = null;
  #errorCode: string | null = null;
  #chunks: Buffer[] = [];
  #receivedBytes = 0;
  isOver = false;

  /** @param maxKeptBytes of the body, at most 64 KB */
  constructor(
    { timeoutMs, maxKeptBytes, signal }: { timeoutMs: number; maxKeptBytes: number; signal?: AbortSignal },
    resolve: (result: GetResult) => void,
  ) {
    this.#timeoutMs = timeoutMs;
    this.#maxKeptBytes = maxKeptBytes;
    this.#resolve = resolve;
    this.#signal = signal;
    this.#timer = setTimeout(this.#onTimeout, timeoutMs);
    signal?.addEventListener('abort', this.#onAbort);
    if (signal?.aborted === true) this.#onAbort();
  }

  /** Ends it with an error of ours. */
  fail(error: string): void {
    this.#end(error, true);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Its time was up while it waited for a connection.
    if (this.isOver) this.#breakOff();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // What comes before the answer (1xx) is none.
    if (statusCode < 200) return;
    this.#httpStatus = statusCode;
    const contentType = headers['content-type'];
    this.#contentType = typeof contentType === 'string' ? contentType : null;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#receivedBytes <= this.#maxKeptBytes) this.#chunks.push(chunk);
    this.#receivedBytes += chunk.length;
    if (this.#receivedBytes <= MAX_READ_BYTES) return;
    this.#end('', true);
    this.#breakOff();
  }

  onResponseEnd(): void {
    this.#end('', false);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    const { code } = error as { code?: unknown };
    this.#errorCode = typeof code === 'string' ? code : null;
    this.#end(errorText(error), true);
  }

  readonly #onTimeout = (): void => {
    const waitedFor = this.#controller === null ? 'a connection' : 'the answer';
    this.#end(`timed out after ${this.#timeoutMs} ms, waiting for ${waitedFor}`, true);
    this.#breakOff();
  };

  readonly #onAbort = (): void => {
    this.#end('given up by the service', true);
    this.#breakOff();
  };

  /** Closes the connection. */
  #breakOff(): void {
    this.#controller?.abort(new Error('broken off'));
  }

  #end(error: string, brokeOff: boolean): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#onAbort);
    const bytes = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#resolve({
      httpStatus: this.#httpStatus,
      contentType: this.#contentType,
      error: this.#httpStatus === null ? error : null,
      errorCode: this.#httpStatus === null ? this.#errorCode : null,
      durationMs: Math.round(performance.now() - this.#startedMs),
      responseBody: decodeTruncated(bytes, this.#maxKeptBytes),
      responseTruncated: this.#httpStatus !== null && (brokeOff || this.#receivedBytes > this.#maxKeptBytes),
    });
  }
}

const TEXTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed before an answer',
  EPIPE: 'the connection was closed before an answer',
  UND_ERR_SOCKET: 'the connection was closed before an answer',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  ETIMEDOUT: 'no connection in time',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the host',
  UND_ERR_HEADERS_OVERFLOW: 'the header of the answer is too large',
  UND_ERR_DESTROYED: 'given up by the service',
};

/** For whoever chose the URL: no addresses, and nothing of the far side's at full length. */
function errorText(error: Error): string {
  if (error instanceof LookupRefused) return error.message;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const text = TEXTS[code];
  if (text !== undefined) return text;
  if (code.startsWith('HPE_')) return 'the answer is not HTTP/1.1';
  if (code.startsWith('ERR_SSL_')) return `TLS: the handshake failed (${code})`;
  if (/^(?:CERT_|ERR_TLS_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH)/.test(code)) {
    return truncateUtf8(`TLS: ${error.message}`.replaceAll('\u0000', '\ufffd'), MAX_ERROR_BYTES);
  }
  return code === '' ? 'the request failed' : `the request failed (${code})`;
}
