import type { FastifyRequest } from 'fastify';

/** The origin of the page that sent the request. The guard has checked that the origin is the service's own. */
export function originOf({ headers }: FastifyRequest): string {
  return headers.origin ?? '';
}
