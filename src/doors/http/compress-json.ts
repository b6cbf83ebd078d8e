/** Compresses JSON responses with gzip (RFC 9110, section 8.4), except responses that can contain a secret. */
import { gzip, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SMALL_BYTES } from '../../concurrency/byte-budget.ts';
import type { Declaration } from '../../contract/operation.ts';
import { hasSecret } from '../../contract/schema.ts';
import { acceptsEncoding } from './accepts-encoding.ts';

/** Smaller responses fit in one packet anyway. */
const LEAST_BYTES = 1024;
/**
 * Level 2 compresses a list of emails to a fifth. It takes less than a millisecond for 64 KB of any content. From level 3 on, a sender can
 * write content that takes several milliseconds. Brotli and zstd save at most another 5 % in the same time, and fewer clients accept them.
 */
const OPTIONS = { level: 2 };

/**
 * The maximum number of responses of more than 64 KB that are compressed at a time, in the thread pool of the process. Passwords, DNS
 * queries and encoded request bodies need the pool too.
 */
const MAX_IN_POOL = 1;
let inPool = 0;

type Done = (error: Error | null, payload?: unknown) => void;

/**
 * The hooks for `onSend` that compress the successful responses of an operation. Empty if a response can contain a secret.
 *
 * Attack (BREACH): the length of a compressed response reveals how much of a secret equals text that an attacker wrote into the same
 * response, such as the subject of an email. TLS does not hide the length.
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
  if (length < LEAST_BYTES || !acceptsEncoding(headers['accept-encoding'], 'gzip')) return done(null, payload);
  if (length > SMALL_BYTES && inPool >= MAX_IN_POOL) return done(null, payload);
  if (length <= SMALL_BYTES) {
    reply.header('content-encoding', 'gzip');
    return done(null, gzipSync(payload, OPTIONS));
  }
  inPool++;
  gzip(payload, OPTIONS, (error, compressed) => {
    inPool--;
    // Send a change's response even if it cannot be compressed, because the change is already committed.
    if (error !== null) return done(null, payload);
    reply.header('content-encoding', 'gzip');
    done(null, compressed);
  });
}
