/** The first hook of every request, including requests without a route. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../model/app-error.ts';
import { sendNotFoundPage } from './page/not-found-page.ts';
import { expectsPage } from './page/wants-page.ts';
import { type RequestLimits, showAddressAllowance } from './guard.ts';
import { COMMON_HEADERS, nothingHere } from './problem.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Headers that may appear only once, because a proxy may have checked a different copy. Keyed by length so that the check, which runs for
 * every request, is fast.
 */
const SINGLE = new Map(
  ['Host', 'Content-Type', 'Authorization'].map((name) => [name.length, { name, lower: name.toLowerCase() }]),
);

/** The values that Node treats as 100-continue (RFC 9110, section 10.1.1). */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/** Returns a hook for `onRequest` that rejects invalid requests and requests without a route. */
export function openRequest(limits: RequestLimits | null) {
  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    reply.header('x-request-id', request.id);
    reply.headers(COMMON_HEADERS);
    const refusal = faultOf(request) ?? (request.is404 ? noRoute(request, reply) : null);
    // For an operation, the guard adds the allowance of the key once the key is known.
    if (refusal !== null || request.routeOptions.config.operation === undefined)
      showAddressAllowance(request, reply, limits);
    if (refusal?.code === 'not-found' && expectsPage(request.raw)) sendNotFoundPage(request, reply);
    else if (refusal === null) done();
    else done(refusal);
  };
}

function faultOf({ raw }: FastifyRequest): AppError | null {
  const { httpVersionMajor, httpVersionMinor, headers, rawHeaders } = raw;
  if (httpVersionMajor !== 1) return new AppError('bad-request', 'Send the request as HTTP/1.1.');
  // RFC 9112, section 3.2
  if (headers.host === undefined && httpVersionMinor === 1)
    return new AppError('bad-request', 'The request has no Host header. Add one.');
  if (headers.expect !== undefined && httpVersionMinor === 1 && !CONTINUE.test(headers.expect))
    return new AppError('bad-request', 'The only supported value of the header Expect is 100-continue.');
  let seen = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    const single = SINGLE.get(name.length);
    if (single?.lower !== name.toLowerCase()) continue;
    const bit = 1 << name.length;
    if ((seen & bit) !== 0)
      return new AppError('bad-request', `The header ${single.name} was sent twice. Send it once.`);
    seen |= bit;
  }
  return null;
}

/** The error for a request without a route. The error is sent before the body is read. */
function noRoute({ server, url }: FastifyRequest, reply: FastifyReply): AppError {
  const allowed = METHODS.filter((method) => server.findRoute({ method, url }) !== null);
  if (allowed.length === 0) return nothingHere();
  reply.header('allow', allowed.join(', '));
  return new AppError('method-not-allowed', `This path supports ${allowed.join(', ')}.`);
}
