import { finished } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { AppError } from '../../model/app-error.ts';

/** Calls back once nobody takes the answer any more, or it is sent; also where the client has gone before. */
export function onResponseEnd({ raw }: FastifyReply, then: () => void): void {
  // Not `close`: of a client that has gone already it may have been before.
  finished(raw, then);
}

/** Ends work that is for the answer alone. */
export function responseAbortSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  // Nobody reads it: it is no fault that a log should tell of.
  onResponseEnd(reply, () =>
    gone.abort(new AppError('unavailable', 'Nobody waits for the answer any more.')),
  );
  return gone.signal;
}
