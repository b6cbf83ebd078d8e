/** Limits how many bytes a process holds for one purpose, such as request bodies: in total, for each API key and for each address. */
import { totalmem } from 'node:os';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../model/app-error.ts';
import { ByteBudget, type ByteReservation, LARGE_PART } from '../../concurrency/byte-budget.ts';
import { clientNetwork } from '../../net/client-network.ts';

const MIB = 1024 * 1024;

/** The budget is a small part of memory, because an email as text takes two to three times its bytes until it is stored. */
const PART_OF_MEMORY = 1 / 16;
const MOST_BYTES = 256 * MIB;
const LEAST_BYTES = 32 * MIB;

/** The smaller of the machine's memory and the process's memory limit. */
const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
const ALL_BYTES = Math.min(MOST_BYTES, Math.max(LEAST_BYTES, memoryBytes * PART_OF_MEMORY));
/** The share of an API key. If the total is 256 MiB, a key's share holds sixteen of the largest bodies. */
const KEY_BYTES = (ALL_BYTES * 3) / 8;
/** The share of an address. Larger than the share of a key, because behind an untrusted proxy many callers have the same address. */
const ADDRESS_BYTES = ALL_BYTES / 2;
const RETRY_SECONDS = 2;

/** The error messages for rejected requests. */
interface Words {
  all: string;
  /** @param holder the API key or the address whose share is used up */
  share(holder: string): string;
}

export class CallerBudget {
  /** The largest reservation that can ever succeed. */
  static readonly maxReservationBytes = KEY_BYTES * LARGE_PART;
  readonly #bytes: ByteBudget;
  readonly #words: Words;

  constructor(words: Words) {
    this.#words = words;
    this.#bytes = new ByteBudget({
      maxBytes: ALL_BYTES,
      makeError: () => new AppError('unavailable', words.all, { retryAfterSeconds: RETRY_SECONDS }),
    });
  }

  /** Opens the reservation of one request. Without an API key, only the address of the request is charged. */
  open({ caller, ip }: FastifyRequest): ByteReservation {
    const network = clientNetwork(ip ?? '');
    return this.#bytes.open([
      ...(caller === null
        ? []
        : [
            { holder: `key ${caller.keyId}`, maxBytes: KEY_BYTES, makeError: () => this.#tooMuch('API key') },
          ]),
      { holder: `address ${network}`, maxBytes: ADDRESS_BYTES, makeError: () => this.#tooMuch('address') },
    ]);
  }

  #tooMuch(holder: string): AppError {
    return new AppError('rate-limited', this.#words.share(holder), { retryAfterSeconds: RETRY_SECONDS });
  }
}
