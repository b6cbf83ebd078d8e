import type { FastifyRequest } from 'fastify';

/** The page that asks: the guard has seen that it is one of ours. */
export function originOf({ headers }: FastifyRequest): string {
  return headers.origin ?? '';
}
