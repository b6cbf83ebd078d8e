/** The bytes of request bodies that a process holds: from the first one that arrives until the request is answered. */
import { totalmem } from 'node:os';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../../model/app-error.ts';
import { ByteBudget, type Hold } from '../../../model/byte-budget.ts';
import { clientNetwork } from '../../../net/client-network.ts';

const MIB = 1024 * 1024;

/** As text an email takes two to three times its bytes until it is stored. */
const PART_OF_MEMORY = 1 / 16;
const MOST_BYTES = 256 * MIB;
const LEAST_BYTES = 32 * MIB;

/** The memory of the machine, or what the process may have of it. */
const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
const ALL_BYTES = Math.min(MOST_BYTES, Math.max(LEAST_BYTES, memoryBytes * PART_OF_MEMORY));
/** With 256 MiB in all: sixteen bodies of the largest kind. */
const KEY_BYTES = (ALL_BYTES * 3) / 8;
/** Behind a proxy that is not trusted, many have one address. */
const ADDRESS_BYTES = ALL_BYTES / 2;
const RETRY_SECONDS = 2;

export class BodyBudget {
  readonly #bytes = new ByteBudget({
    maxBytes: ALL_BYTES,
    refusal: () =>
      new AppError('unavailable', 'The service holds as many bytes of requests as it can at the moment.', {
        retryAfterSeconds: RETRY_SECONDS,
      }),
  });

  /** For one request. A caller is known where an API key is asked for. */
  open({ caller, ip }: FastifyRequest): Hold {
    const network = clientNetwork(ip ?? '');
    return this.#bytes.open([
      ...(caller === null
        ? []
        : [{ holder: `key ${caller.keyId}`, maxBytes: KEY_BYTES, refusal: () => tooMuch('API key') }]),
      { holder: `address ${network}`, maxBytes: ADDRESS_BYTES, refusal: () => tooMuch('address') },
    ]);
  }
}

function tooMuch(holder: string): AppError {
  return new AppError(
    'rate-limited',
    `The requests of this ${holder} that are not answered yet hold too many bytes. Wait for their answers, or send fewer at once.`,
    { retryAfterSeconds: RETRY_SECONDS },
  );
}
