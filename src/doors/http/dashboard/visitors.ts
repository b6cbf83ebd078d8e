import type { FastifyRequest } from 'fastify';
import { sessionTokenOf } from './cookies.ts';
import { isSecure } from '../browser/origin.ts';
import type { DashboardOptions } from './routes.ts';

/** Returns whether a visitor of public pages is signed in to the dashboard. False if this cannot be determined. */
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
