import type { FastifyRequest } from 'fastify';
import { sessionTokenOf } from './cookies.ts';
import { isSecure } from '../browser/origin.ts';
import type { DashboardOptions } from './routes.ts';

/** Creates a function that returns whether a visitor of public pages is signed in to the dashboard, or false if that is unknown. */
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
