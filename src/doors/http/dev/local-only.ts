/**
 * Guards every request to `posthorn dev`, which has no sign-in. It listens on loopback addresses only, so only programs of this machine reach it. One
 * of them is the browser, which sends requests for any website.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../../model/app-error.ts';

const OWN_NAMES = ['localhost', '127.0.0.1', '[::1]'];
const HTTP_PORT = 80;

type Request = Pick<FastifyRequest, 'method' | 'headers'> & { socket: { localPort?: number | undefined } };

/** A hook for `onRequest`. */
export function localOnly(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  const problem = foreignRequest(request);
  if (problem === null) done();
  else done(new AppError('request-forged', problem));
}

/** @returns why the request is rejected; null if it is accepted */
export function foreignRequest({ method, headers, socket }: Request): string | null {
  const { host = '', origin, 'sec-fetch-site': site, 'sec-fetch-dest': target } = headers;
  const port = socket.localPort ?? 0;
  // Attack: DNS rebinding. The host name of an attacker resolves to this machine, and the browser lets the attacker's page read responses.
  if (!OWN_NAMES.some((name) => host === `${name}:${port}` || (port === HTTP_PORT && host === name)))
    return `The Host header names another host. Use http://localhost:${port}.`;
  // Attack: a page of another site, or of another program of this machine, makes the browser delete or send emails.
  if (origin !== undefined && origin !== `http://${host}`)
    return 'The request came from a page of another origin.';
  // Attack: such a page loads emails as images or in frames, which browsers request without an Origin, and measures how long searches take.
  // Links to these pages work.
  const isForeign = site === 'cross-site' || site === 'same-site';
  if (isForeign && !(target === 'document' && method === 'GET'))
    return 'The request came from a page of another origin.';
  return null;
}
