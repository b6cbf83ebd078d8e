import type { FastifyRequest } from 'fastify';
import { sessionTokenOf } from './cookies.ts';
import { isSecure } from '../browser/origin.ts';
import type { DashboardOptions } from './routes.ts';

/** Whether a visitor of pages outside the dashboard is signed in to the dashboard. If this cannot be determined, the visitor counts as not signed in. */
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
