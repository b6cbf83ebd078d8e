/** Bounds the bytes of large answers that their clients have not read yet. */
import { finished } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SMALL_BYTES } from '../../concurrency/byte-budget.ts';
import { CallerBudget } from './caller-budget.ts';

/** The bytes of problems are few and bounded, and one that were refused would have no answer. */
const FIRST_PROBLEM_STATUS = 400;

type Done = (error: Error | null, payload?: unknown) => void;

/**
 * A hook for `onSend` of operations that only read: who is refused must not have changed anything. An answer is held until the
 * system has taken all of it, or its client is gone. One that is larger than any share counts as a whole share.
 */
export function boundUnreadResponses() {
  const budget = new CallerBudget({
    all: 'The service holds as many bytes of answers as it can at the moment.',
    share: (holder) =>
      `The answers to this ${holder} that are not read yet hold too many bytes. Read them, or ask for fewer at once.`,
  });
  return (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done): void => {
    const isHeld = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (!isHeld || reply.statusCode >= FIRST_PROBLEM_STATUS) return done(null, payload);
    const length = Buffer.byteLength(payload);
    if (length <= SMALL_BYTES) return done(null, payload);
    const hold = budget.open(request);
    try {
      hold.resize(Math.min(length, CallerBudget.maxHoldBytes));
    } catch (error) {
      return done(error as Error);
    }
    // Not `close`: of a client that has gone before its answer it may have been already.
    finished(reply.raw, () => hold.resize(0));
    // Of a text the system would be given a copy, of two bytes a character for some.
    done(null, typeof payload === 'string' ? Buffer.from(payload) : payload);
  };
}
