/** Bounds the bytes of large responses that clients have not read yet. */
import { finished } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SMALL_BYTES } from '../../concurrency/byte-budget.ts';
import { CallerBudget } from './caller-budget.ts';

/** Problem documents are exempt: they are small, and rejecting one would leave no response to send. */
const FIRST_PROBLEM_STATUS = 400;

type Done = (error: Error | null, payload?: unknown) => void;

/**
 * A hook for `onSend` of read-only operations: a rejected request must not have changed anything. A response is counted until the system
 * has taken all of it or the client has disconnected. A response larger than a share counts as a whole share.
 */
export function boundUnreadResponses() {
  const budget = new CallerBudget({
    all: 'The service is sending as many large responses as it can. Try again later.',
    share: (holder) =>
      `This ${holder} has too many bytes of unread responses. Read them, or make fewer requests at once.`,
  });
  return (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done): void => {
    const isBuffered = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (!isBuffered || reply.statusCode >= FIRST_PROBLEM_STATUS) return done(null, payload);
    const length = Buffer.byteLength(payload);
    if (length <= SMALL_BYTES) return done(null, payload);
    const hold = budget.open(request);
    try {
      hold.resize(Math.min(length, CallerBudget.maxHoldBytes));
    } catch (error) {
      return done(error as Error);
    }
    // Not the `close` event: it may have fired already if the client disconnected early.
    finished(reply.raw, () => hold.resize(0));
    // Sent as bytes: the system would get a copy of a string, with two bytes per character for some strings.
    done(null, typeof payload === 'string' ? Buffer.from(payload) : payload);
  };
}
