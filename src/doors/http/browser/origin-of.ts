import type { FastifyRequest } from 'fastify';

/** The origin of the requesting page. The guard has checked that it is ours. */
export function originOf({ headers }: FastifyRequest): string {
  return headers.origin ?? '';
}
