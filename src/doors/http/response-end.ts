import { finished } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { AppError } from '../../model/app-error.ts';

/** Calls `then` once the response is sent or the client has disconnected, even if the client disconnected before this call. */
export function onResponseEnd({ raw }: FastifyReply, then: () => void): void {
  // Do not wait for the `close` event, which may already have fired.
  finished(raw, then);
}

/** A signal that is aborted when the client no longer needs the response. */
export function responseAbortSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  // Abort with an `AppError`, which is not logged, because the disconnection of a client is no fault of the service.
  onResponseEnd(reply, () => controller.abort(new AppError('unavailable', 'The client closed the request.')));
  return controller.signal;
}
