/** Reads bodies: JSON, or no body at all. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../model/app-error.ts';
import { parseJson } from './json.ts';

export const MAX_BODY_BYTES = 6 * 1024 * 1024;

/** A body of no bytes is no body, whatever its type: many clients send the header with every method. */
export function parseBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes: Buffer, done) => {
    done(null, bytes.length === 0 ? undefined : parseJson(bytes));
  });
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes: Buffer, done) => {
    if (bytes.length === 0) done(null, undefined);
    else done(new AppError('unsupported-media-type', 'Send the body as Content-Type: application/json.'));
  });
}

/** A hook. Fastify refuses a malformed type before it looks for a body. Parameters of the type mean nothing here. */
export function normalizeContentType(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const { headers } = request;
  const type = headers['content-type'];
  if (type !== undefined && type !== 'application/json') {
    headers['content-type'] = /^\s*application\/json\s*(?:;|$)/i.test(type) ? 'application/json' : undefined;
  }
  done();
}
