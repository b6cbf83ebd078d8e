import type { FastifyRequest } from 'fastify';
import { clientAddress } from '../../../net/client-network.ts';

/** The address and the user agent of the client. */
export function clientOf({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>) {
  return { address: clientAddress(ip) ?? 'unknown', userAgent: headers['user-agent'] ?? '' };
}
