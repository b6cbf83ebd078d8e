import { finished } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { AppError } from '../../model/app-error.ts';

/** Calls back once the response is sent or the client has disconnected, even if it disconnected earlier. */
export function onResponseEnd({ raw }: FastifyReply, then: () => void): void {
  // Not the `close` event: it may already have fired.
  finished(raw, then);
}

/** Aborted when the client no longer needs the response. */
export function responseAbortSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  // The client is gone: this is not a fault to log.
  onResponseEnd(reply, () => controller.abort(new AppError('unavailable', 'The client closed the request.')));
  return controller.signal;
}
