import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'undici';
import * as clock from '../model/clock.ts';
import { amzDate, type AwsCredentials, authorization, queryOf } from '../net/sigv4.ts';
import type { ByteRange, ObjectName, ObjectStore } from './object-store.ts';
import { TIMINGS } from './timings.ts';

export interface Bucket extends AwsCredentials {
  /** The server's origin, such as `https://s3.eu-central-1.amazonaws.com`. */
  origin: string;
  bucket: string;
  region: string;
}

type BucketTimings = Pick<typeof TIMINGS, 'connectMs' | 'requestMs' | 'retryMs'>;

/** Attempts per operation. Every operation is idempotent. */
const ATTEMPTS = 3;
const MAX_CONNECTIONS = 16;
/** The maximum size of a response. Must be larger than every message. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
const NAME = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

interface BucketRequest {
  method: 'PUT' | 'GET' | 'DELETE';
  key: string;
  query?: string;
  headers?: Record<string, string>;
  body?: Uint8Array;
}

interface BucketResponse {
  status: number;
  body: Buffer;
}

/** A request failed, and so did its retries. The error message contains no secrets. */
class BucketError extends Error {
  override readonly name = 'BucketError';
}

/**
 * Objects in a bucket of S3 or a compatible server, under the keys `<project>/<id>`. Uses path-style requests, because not every server
 * has DNS names for its buckets.
 */
export class ObjectBucket implements ObjectStore, AsyncDisposable {
  readonly #options: Bucket;
  readonly #timings: BucketTimings;
  #pool: Promise<Pool> | null = null;

  constructor(options: Bucket, timings: BucketTimings = TIMINGS) {
    this.#options = options;
    this.#timings = timings;
  }

  async put({ projectId, id }: ObjectName, body: Uint8Array): Promise<void> {
    const headers = { 'content-type': 'application/octet-stream', 'content-length': String(body.length) };
    await this.#request({ method: 'PUT', key: `${projectId}/${id}`, headers, body }, [200]);
  }

  async get({ projectId, id }: ObjectName, range?: ByteRange): Promise<Buffer | null> {
    if (range !== undefined && range.end <= range.start) return Buffer.alloc(0);
    const headers: Record<string, string> =
      range === undefined ? {} : { range: `bytes=${range.start}-${range.end - 1}` };
    const { status, body } = await this.#request(
      { method: 'GET', key: `${projectId}/${id}`, headers },
      [200, 206, 404, 416],
    );
    if (status === 404) return null;
    if (status === 416) return Buffer.alloc(0);
    if (range === undefined) return body;
    // Cut out the range, because some servers ignore it, and some send more than requested.
    return status === 200 ? body.subarray(range.start, range.end) : body.subarray(0, range.end - range.start);
  }

  async delete({ projectId, id }: ObjectName): Promise<void> {
    await this.#request({ method: 'DELETE', key: `${projectId}/${id}` }, [200, 204, 404]);
  }

  async *list(projectId?: string): AsyncGenerator<ObjectName, void, undefined> {
    for (let token: string | null = null; ; ) {
      const query = queryOf({
        'list-type': '2',
        'max-keys': '1000',
        ...(projectId === undefined ? {} : { prefix: `${projectId}/` }),
        ...(token === null ? {} : { 'continuation-token': token }),
      });
      const { body } = await this.#request({ method: 'GET', key: '', query }, [200]);
      const xml = body.toString();
      for (const [, key = ''] of xml.matchAll(/<Key>([^<]*)<\/Key>/g)) {
        const [, project, id] = NAME.exec(key) ?? [];
        if (project !== undefined && id !== undefined) yield { projectId: project, id };
      }
      const next = /<NextContinuationToken>([^<]+)<\/NextContinuationToken>/.exec(xml)?.[1];
      if (!/<IsTruncated>true<\/IsTruncated>/.test(xml)) return;
      // Without a new token, the next request would return the same page again, and the listing would never end.
      if (next === undefined || next === token)
        throw new BucketError('the object list has no valid continuation token');
      token = unescape(next);
    }
  }

  /** Aborts pending requests. */
  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#pool)?.destroy();
  }

  /** @throws BucketError if no attempt gets a response with an expected status */
  async #request(request: BucketRequest, expected: readonly number[]): Promise<BucketResponse> {
    for (let attempt = 1; ; attempt++) {
      let fault: string;
      let isTemporary = true;
      try {
        const response = await this.#try(request);
        if (expected.includes(response.status)) return response;
        const code = /<Code>(\w{1,60})<\/Code>/.exec(response.body.toString('latin1', 0, 4_096))?.[1];
        fault = `it answered ${response.status}${code === undefined ? '' : ` ${code}`}`;
        isTemporary = response.status >= 500 || response.status === 429 || response.status === 408;
      } catch (error) {
        fault = describe(error, this.#timings);
      }
      if (!isTemporary || attempt === ATTEMPTS)
        throw new BucketError(`The bucket ${this.#options.bucket} cannot be used: ${fault}.`);
      await sleep(this.#timings.retryMs * 2 ** (attempt - 1));
    }
  }

  async #try({ method, key, query = '', headers = {}, body }: BucketRequest): Promise<BucketResponse> {
    const { origin, bucket, region } = this.#options;
    const path = `/${bucket}${key === '' ? '' : `/${key}`}`;
    const bodyHash = hash('sha256', body ?? '');
    const signed = {
      ...headers,
      host: new URL(origin).host,
      'x-amz-content-sha256': bodyHash,
      'x-amz-date': amzDate(clock.now()),
    };
    const scope = { region, service: 's3' };
    const pool = await (this.#pool ??= openPool(origin, this.#timings));
    const response = await pool.request({
      method,
      path: query === '' ? path : `${path}?${query}`,
      headers: {
        ...signed,
        authorization: authorization(
          { method, path, query, headers: signed, bodyHash },
          this.#options,
          scope,
        ),
      },
      body: body ?? null,
      signal: AbortSignal.timeout(this.#timings.requestMs),
    });
    return { status: response.statusCode, body: await readAll(response.body) };
  }
}

/** Imports undici at the first request, because the import takes 0.1 s and 30 MB, and many processes never need undici. */
async function openPool(origin: string, { connectMs }: BucketTimings): Promise<Pool> {
  const { Pool: OpenPool } = await import('undici');
  return new OpenPool(origin, {
    connections: MAX_CONNECTIONS,
    connectTimeout: connectMs,
    autoSelectFamily: true,
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 4_000,
    maxHeaderSize: 16_384,
    // undici's own timeouts are off. Instead, each request has a signal that aborts it at its time limit.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

async function readAll(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_RESPONSE_BYTES) throw new Error('the response is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function describe(error: unknown, { requestMs }: BucketTimings): string {
  if (!(error instanceof Error)) return 'the request failed';
  if (error.name === 'TimeoutError') return `no response within ${requestMs} ms`;
  const { code } = error as NodeJS.ErrnoException;
  return code ?? error.message;
}

/** Decodes the character references of XML. */
function unescape(text: string): string {
  const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  return text.replaceAll(
    /&(?:(lt|gt|quot|apos|amp)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi,
    (all, name, decimal, hex) => {
      if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? all;
      const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      return point <= 0x10_ffff ? String.fromCodePoint(point) : all;
    },
  );
}
