/** Reads request bodies within a size limit and a memory budget and decodes their Content-Encoding. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../../model/app-error.ts';
import type { ByteReservation } from '../../../concurrency/byte-budget.ts';
import { CallerBudget } from '../caller-budget.ts';
import { codingOf, decode } from './content-coding.ts';
import { drop, readFairly } from './fair-reading.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body's reservation in the budget, from the first byte of the body until the response. Null without a body. */
    bodyReservation: ByteReservation | null;
  }
}

const KIB = 1024;
const NOTHING = Buffer.alloc(0);
const FIRST_BYTES = 16 * KIB;

/** A parser for `addContentTypeParser` that returns the bytes of the body. */
export type RawBodyReader = (request: FastifyRequest, payload: IncomingMessage) => Promise<Buffer>;

/** @returns a function that creates readers for bodies of at most `maxBytes`; all these readers share one budget */
export function rawBodyReaders(app: FastifyInstance): (maxBytes: number) => RawBodyReader {
  const budget = new CallerBudget({
    all: 'The service has reached its limit on request data in progress. Try again later.',
    share: (holder) =>
      `This ${holder} has too much request data in progress. Wait for the responses, or send fewer requests at once.`,
  });
  app.decorateRequest('bodyReservation', null);
  app.addHook('onSend', (request, _reply, payload, done) => {
    request.bodyReservation?.resize(0);
    drop(request.raw);
    done(null, payload);
  });
  return (maxBytes) => async (request, payload) => {
    const { 'content-length': length, 'content-encoding': encoding } = request.headers;
    const coding = codingOf(encoding);
    const declared = length === undefined ? null : Number(length);
    if (declared !== null && declared > maxBytes) throw tooLarge(maxBytes);
    const reservation = budget.open(request);
    request.bodyReservation = reservation;
    const bytes = await collect(payload, new Collected(reservation, { declared, maxBytes }));
    if (coding === null || bytes.length === 0) return bytes;
    const decoded = await decode(coding, bytes, maxBytes);
    if (decoded === null) throw tooLarge(maxBytes);
    reservation.resize(decoded.length);
    return decoded;
  };
}

function collect(payload: IncomingMessage, collected: Collected): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const stop = readFairly(payload, (piece) => {
      try {
        collected.add(piece);
      } catch (error) {
        stop();
        // The listeners below reference the bytes for as long as the connection is open, although nothing reserves them any more.
        collected.discard();
        reject(error);
      }
    });
    payload.once('end', () => resolve(collected.bytes));
    payload.once('error', () =>
      reject(new AppError('bad-request', 'The connection closed before the request was complete.')),
    );
  });
}

interface Limits {
  /** The value of Content-Length. Null if the header is missing. */
  declared: number | null;
  maxBytes: number;
}

/** Collects a body in one buffer that doubles in size. A list of one-byte chunks could take a hundred times as much memory. */
class Collected {
  readonly #reservation: ByteReservation;
  readonly #limits: Limits;
  #buffer: Buffer = NOTHING;
  #length = 0;

  constructor(reservation: ByteReservation, limits: Limits) {
    this.#reservation = reservation;
    this.#limits = limits;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  discard(): void {
    this.#buffer = NOTHING;
    this.#length = 0;
  }

  /** @throws AppError payload-too-large; rate-limited or unavailable if the budget is used up */
  add(piece: Buffer): void {
    const { declared, maxBytes } = this.#limits;
    const needed = this.#length + piece.length;
    if (needed > maxBytes) throw tooLarge(maxBytes);
    if (needed > this.#buffer.length) {
      const size = Math.min(Math.max(FIRST_BYTES, this.#buffer.length * 2, needed), declared ?? maxBytes);
      this.#reservation.resize(size);
      // Most bodies arrive in one chunk. Such a chunk is used without copying.
      this.#buffer = piece.length === size ? piece : grown(this.bytes, size);
    }
    if (this.#buffer !== piece) piece.copy(this.#buffer, this.#length);
    this.#length = needed;
  }
}

/**
 * Copies the bytes into a larger buffer. This is not done with `Buffer.concat`, because it fills the unused part with zeros, which was the
 * slowest step on the event loop.
 */
function grown(bytes: Buffer, size: number): Buffer {
  const buffer = Buffer.allocUnsafeSlow(size);
  bytes.copy(buffer);
  return buffer;
}

function tooLarge(maxBytes: number): AppError {
  const limit = maxBytes < KIB * KIB ? `${maxBytes / KIB} KB` : `${maxBytes / KIB / KIB} MB`;
  return new AppError('payload-too-large', `The body is larger than ${limit}.`);
}
