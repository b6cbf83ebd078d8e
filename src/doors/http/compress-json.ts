/** Compresses JSON responses with gzip (RFC 9110, section 8.4), except responses that can contain a secret. */
import { randomInt } from 'node:crypto';
import { gzip, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SMALL_BYTES } from '../../concurrency/byte-budget.ts';
import type { Declaration } from '../../contract/operation.ts';
import { hasSecret } from '../../contract/schema.ts';
import { acceptsEncoding } from './accepts-encoding.ts';

/** Smaller responses are not compressed, because they fit in one packet anyway. */
const LEAST_BYTES = 1024;
/**
 * Level 2 compresses a list of emails to a fifth. It takes less than a millisecond for 64 KB of any content. From level 3 on, a sender can
 * write content that takes several milliseconds. Brotli and zstd save at most another 5 % in the same time, and fewer clients accept them.
 */
const LEVEL = 2;
/** The maximum random padding of a compressed response, as in Django. */
const MAX_PADDING = 100;
/** The length of the header of gzip data, the position of the flags in it, and the flag for a file name (RFC 1952, section 2.3). */
const HEADER_BYTES = 10;
const FLAGS_AT = 3;
const HAS_NAME = 8;

/**
 * How many responses of more than 64 KB are compressed at a time. They are compressed in the thread pool of the process, which passwords,
 * DNS queries and encoded request bodies need too.
 */
const MAX_IN_POOL = 1;
let inPool = 0;

type Done = (error: Error | null, payload?: unknown) => void;

/**
 * The hooks for `onSend` that compress the successful responses of an operation. Empty if a response can contain a secret.
 *
 * Attack (BREACH): the length of a compressed response reveals how much of a secret equals text that an attacker wrote into the same
 * response, such as the subject of an email. TLS does not hide the length (docs/threat-model.md, Compressed responses).
 */
export function compressingJson({ success: { body } }: Pick<Declaration, 'success'>) {
  return body === undefined || hasSecret(body) ? [] : [compressJson];
}

/**
 * A large response is sent uncompressed if another large response is being compressed. Waiting would let the lists of one project delay
 * another project.
 */
function compressJson({ headers }: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done): void {
  const isBuffered = typeof payload === 'string' || Buffer.isBuffer(payload);
  if (!isBuffered || reply.statusCode >= 300) return done(null, payload);
  reply.header('vary', 'accept-encoding');
  const length = Buffer.byteLength(payload);
  if (length < LEAST_BYTES || mayBeRepeated(headers) || !acceptsEncoding(headers['accept-encoding'], 'gzip'))
    return done(null, payload);
  if (length > SMALL_BYTES && inPool >= MAX_IN_POOL) return done(null, payload);
  if (length <= SMALL_BYTES) {
    const compressed = compressSmall(payload, length);
    if (compressed !== null) reply.header('content-encoding', 'gzip');
    return done(null, compressed ?? payload);
  }
  inPool++;
  gzip(payload, { level: LEVEL }, (error, compressed) => {
    inPool--;
    // Send a change's response even if it cannot be compressed, because the change is already committed.
    if (error !== null) return done(null, payload);
    reply.header('content-encoding', 'gzip');
    done(null, padded(compressed));
  });
}

/**
 * Whether a page of another site may have sent the request. Attack (BREACH): such a page opens the same response in a window again and
 * again, with the cookie of the user, and averages out the padding.
 */
function mayBeRepeated({ 'sec-fetch-site': site }: FastifyRequest['headers']): boolean {
  return site === 'cross-site' || site === 'same-site';
}

/** @returns null if zlib fails: a change is already committed, so its response must be sent */
function compressSmall(payload: string | Buffer, length: number): Buffer | null {
  try {
    // With the default buffer of 16 KB, small responses would cause more garbage collections.
    return padded(gzipSync(payload, { level: LEVEL, chunkSize: length >> 1 }));
  } catch {
    return null;
  }
}

/**
 * Adds a file name of random length, which every client ignores.
 *
 * Attack (BREACH): lists contain mail of strangers, so a stranger's text and another service's code or link can be in the same response.
 * A correct guess of a digit shortens the response by one to four bytes, and the padding makes this expensive to measure.
 */
function padded(gzipped: Buffer): Buffer {
  gzipped[FLAGS_AT] = HAS_NAME;
  const name = Buffer.from(`${'x'.repeat(randomInt(MAX_PADDING + 1))}\0`);
  return Buffer.concat([gzipped.subarray(0, HEADER_BYTES), name, gzipped.subarray(HEADER_BYTES)]);
}
