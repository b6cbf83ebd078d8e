import { AnsweringThread } from '../../concurrency/answering-thread.ts';
import { AppError } from '../../model/app-error.ts';
import { copyInSteps } from '../../concurrency/copy-in-steps.ts';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import { FairSlots } from '../../concurrency/fair-slots.ts';
import { type PreparedMessage, type Preparing, prepareMessage } from './prepare-message.ts';
import type { RejectedMail } from './submitted-mail.ts';
import { TIMINGS } from './timings.ts';

type PreparerResult = PreparedMessage | RejectedMail;

/** A message up to this size is prepared in less than a millisecond. */
const SMALL_OCTETS = 65_536;
/** The maximum number of waiting large messages per project. Waiting messages are in memory. */
const MAX_WAITING = 50;

/**
 * Prepares messages. Small messages are prepared at once. Large messages are prepared in another thread, one at a time and round-robin
 * between projects.
 */
export class Preparer implements AsyncDisposable {
  readonly #slots = new FairSlots({
    slots: 1,
    slotsPerOwner: 1,
    maxWaitingPerOwner: MAX_WAITING,
    makeError: () =>
      new AppError(
        'unavailable',
        'Too many large messages of this project are being processed. Try again in a moment.',
        {
          retryAfterSeconds: 5,
        },
      ),
  });
  readonly #closing = new AbortController();
  readonly #thread = new AnsweringThread<PreparerResult>({
    name: 'preparing large messages',
    code: new URL('./thread.ts', import.meta.url),
    timings: TIMINGS,
  });

  /** @throws AppError unavailable */
  prepare(projectId: string, raw: Buffer, preparing: Preparing): MaybePromise<PreparerResult> {
    if (raw.length <= SMALL_OCTETS) return prepareMessage(raw, preparing);
    return this.#slots.run(projectId, this.#closing.signal, () => this.#prepareLarge(raw, preparing));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(
      new AppError('unavailable', 'The service is stopping. Try again later.', { retryAfterSeconds: 5 }),
    );
    await this.#thread[Symbol.asyncDispose]();
  }

  async #prepareLarge(message: Buffer, preparing: Preparing): Promise<PreparerResult> {
    const answer = await this.#thread.ask(async () => {
      const raw = new Uint8Array(message.length);
      await copyInSteps(message, raw);
      return [{ raw, preparing }, [raw.buffer]];
    });
    if (answer === null)
      // An internal error or an overload, so a retry may succeed.
      throw new AppError('unavailable', 'The message could not be read in time. Try again later.', {
        retryAfterSeconds: 60,
      });
    return answer.outcome === 'refused' ? answer : withBuffers(answer);
  }
}

/** Restores Buffers, because a Buffer that is sent to another thread arrives as a Uint8Array. */
function withBuffers(prepared: PreparedMessage): PreparedMessage {
  const { data, digest, bodyHash, copy, fingerprint } = prepared;
  return {
    ...prepared,
    data: bufferOf(data),
    digest: bufferOf(digest),
    bodyHash: bufferOf(bodyHash),
    copy: copy === null ? null : bufferOf(copy),
    fingerprint: fingerprint === null ? null : bufferOf(fingerprint),
  };
}

function bufferOf(octets: Uint8Array): Buffer {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength);
}
