import type { FastifyRequest } from 'fastify';
import { clientAddress } from '../../../net/client-network.ts';

/** From where a request comes. */
export function clientOf({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>) {
  return { address: clientAddress(ip) ?? 'unknown', userAgent: headers['user-agent'] ?? '' };
}
