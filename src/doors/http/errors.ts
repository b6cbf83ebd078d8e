/** Turns any thrown value into a problem response. */
import type { FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import { mayWorkLater } from '../../db/database.ts';
import { AppError } from '../../model/app-error.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { problemResponse } from './problem.ts';

/** The usual duration of a database restart. */
const DATABASE_RETRY_SECONDS = 5;

declare module 'fastify' {
  interface FastifyRequest {
    /** The problem that was sent as the response. */
    problem: AppError | null;
  }
}

/** Sends a problem response. An unexpected error is logged with the request id, and the text of the error is not sent. */
export function sendProblem(reply: FastifyReply, error: unknown, logger: Logger): void {
  const problem = toAppError(error);
  reply.request.problem = problem;
  const { id, method, routeOptions, raw } = reply.request;
  // Do not log the URL, because it may contain an email address or the token of a link.
  const line = { requestId: id, method, route: routeOptions?.url, code: problem.code };
  if (problem.code === 'internal') logger.error({ err: error, ...line }, LOG_MESSAGES.requestFailed);
  else logger.debug(line, LOG_MESSAGES.requestRefused);
  // Keep the connection open while the client is still sending. If this server closed it, the connection would be reset, and the client
  // would never receive the response. The rest of the body is read and discarded (bodies/fair-reading.ts) until the request times out.
  reply.removeHeader('connection');
  // The problem replaces a response that may have been compressed already.
  reply.removeHeader('content-encoding');
  const { 'content-length': length = '0', 'transfer-encoding': coding } = raw.headers;
  if (!raw.complete && (length !== '0' || coding !== undefined)) reply.raw.shouldKeepAlive = true;
  const { status, headers, body } = problemResponse(problem, id);
  // Send bytes. If a string were sent, Fastify would add a charset to the media type, which defines none.
  reply.code(status).headers(headers).send(Buffer.from(body));
}

/** Turns any thrown value into the error that the caller receives. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown };
  if (code === 'FST_ERR_BAD_URL')
    return new AppError('bad-request', 'The path is not valid. Percent-encode it as UTF-8.');
  // Recognize errors of Fastify before those of the database: ECONNRESET of an aborted request is not an error of the database.
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return new AppError('bad-request', 'The request is malformed.');
  }
  if (mayWorkLater(error)) {
    return new AppError(
      'unavailable',
      'The service is temporarily unavailable. Try again after the number of seconds in Retry-After.',
      {
        retryAfterSeconds: DATABASE_RETRY_SECONDS,
      },
    );
  }
  return new AppError(
    'internal',
    'Something went wrong on our side. The details are in the service log under this request id.',
  );
}
