import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'undici';
import * as clock from '../model/clock.ts';
import { amzDate, type AwsCredentials, authorization, queryOf } from '../net/sigv4.ts';
import type { ByteRange, ObjectName, ObjectStore } from './object-store.ts';
import { TIMINGS } from './timings.ts';

export interface Bucket extends AwsCredentials {
  /** `https://s3.eu-central-1.amazonaws.com` */
  origin: string;
  bucket: string;
  region: string;
}

type BucketTimings = Pick<typeof TIMINGS, 'connectMs' | 'requestMs' | 'retryMs'>;

/** Every operation can be repeated, so each is tried so often before it fails. */
const TRIES = 3;
const MAX_CONNECTIONS = 16;
/** No message is as large as that. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
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

/** The far side did not do what it was asked, however often. The message has no secrets. */
class BucketError extends Error {
  override readonly name = 'BucketError';
}

/**
 * Objects in a bucket of S3, or of what speaks its protocol, under the keys `<project>/<id>`. It is asked under the path of the bucket: not everybody has
 * names for buckets in DNS.
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
    // Some take no notice of the range, and some send more than was asked for.
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
      // Without an end it would begin anew for ever.
      if (next === undefined || next === token) throw new BucketError('the list of objects does not go on');
      token = unescape(next);
    }
  }

  /** Breaks off what is still under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#pool)?.destroy();
  }

  /** @throws BucketError when no answer has one of these statuses */
  async #request(request: BucketRequest, expected: readonly number[]): Promise<BucketResponse> {
    for (let attempt = 1; ; attempt++) {
      let fault: string;
      let mayPass = true;
      try {
        const answer = await this.#try(request);
        if (expected.includes(answer.status)) return answer;
        const code = /<Code>(\w{1,60})<\/Code>/.exec(answer.body.toString('latin1', 0, 4_096))?.[1];
        fault = `it answered ${answer.status}${code === undefined ? '' : ` ${code}`}`;
        mayPass = answer.status >= 500 || answer.status === 429 || answer.status === 408;
      } catch (error) {
        fault = describe(error, this.#timings);
      }
      if (!mayPass || attempt === TRIES)
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
    const answer = await pool.request({
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
    return { status: answer.statusCode, body: await readAll(answer.body) };
  }
}

/** Loaded by the first request: undici takes 0.1 s and 30 MB, and many processes never need it. */
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
    // The one limit of a request is its own.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

async function readAll(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function describe(error: unknown, { requestMs }: BucketTimings): string {
  if (!(error instanceof Error)) return 'the request failed';
  if (error.name === 'TimeoutError') return `no answer within ${requestMs} ms`;
  const { code } = error as NodeJS.ErrnoException;
  return code ?? error.message;
}

/** What XML writes for the characters that it uses itself. */
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
