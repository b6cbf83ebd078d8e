import type { FastifyRequest } from 'fastify';
import { sessionTokenOf } from './cookies.ts';
import { isSecure } from '../browser/origin.ts';
import type { DashboardOptions } from './routes.ts';

/** Tells of pages outside the dashboard whether their visitor is signed in to it. While that cannot be told, nobody is. */
export function visitors({ services, address }: Pick<DashboardOptions, 'services' | 'address'>) {
  return async (request: FastifyRequest): Promise<boolean> => {
    const token = sessionTokenOf(request, isSecure(address, request));
    if (token === null) return false;
    try {
      return (await services.signedIn.find(token, {})) !== null;
    } catch {
      return false;
    }
  };
}
