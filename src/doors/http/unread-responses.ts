/** Bounds the bytes of large responses that clients have not read yet. */
import { finished } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SMALL_BYTES } from '../../concurrency/byte-budget.ts';
import { CallerBudget } from './caller-budget.ts';

/**
 * Responses with at least this status are exempt. These responses are small problem documents. If a problem document were rejected, there
 * would be no response to send.
 */
const FIRST_PROBLEM_STATUS = 400;

type Done = (error: Error | null, payload?: unknown) => void;

/**
 * Returns a hook for `onSend` of read-only operations. The hook may reject a request, and a rejected request must not have changed
 * anything. A response counts until the operating system has taken all of it or the client has disconnected. A response larger than a
 * caller's share counts as one whole share.
 */
export function boundUnreadResponses() {
  const budget = new CallerBudget({
    all: 'The service has reached its limit on large responses in progress. Try again later.',
    share: (holder) =>
      `This ${holder} has too much unread response data. Read the responses, or send fewer requests at once.`,
  });
  return (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done): void => {
    const isBuffered = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (!isBuffered || reply.statusCode >= FIRST_PROBLEM_STATUS) return done(null, payload);
    const length = Buffer.byteLength(payload);
    if (length <= SMALL_BYTES) return done(null, payload);
    const reservation = budget.open(request);
    try {
      reservation.resize(Math.min(length, CallerBudget.maxReservationBytes));
    } catch (error) {
      return done(error as Error);
    }
    // Do not wait for the `close` event, which may already have fired if the client disconnected early.
    finished(reply.raw, () => reservation.resize(0));
    // Send bytes. A string would be copied for the operating system, with two bytes per character for some strings.
    done(null, typeof payload === 'string' ? Buffer.from(payload) : payload);
  };
}
