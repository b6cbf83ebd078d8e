import type { FastifyRequest } from 'fastify';
import { within } from '../../../concurrency/within.ts';
import { isSecure } from '../browser/origin.ts';
import { sessionTokenOf } from './cookies.ts';
import type { DashboardOptions } from './routes.ts';

/** How long a public page waits for the database before it is sent without the notice that there is no owner. */
const OWNER_WAIT_MS = 250;

/** What public pages need to know from the dashboard. A failure counts as false, so that the pages also work without the database. */
export interface Visitors {
  /** Whether a visitor is signed in to the dashboard. */
  isSignedIn(request: FastifyRequest): Promise<boolean>;
  /** Whether the installation has no user yet. */
  needsOwner(): Promise<boolean>;
}

export function visitors({ services, address }: Pick<DashboardOptions, 'services' | 'address'>): Visitors {
  return {
    async isSignedIn(request) {
      const token = sessionTokenOf(request, isSecure(address, request));
      if (token === null) return false;
      try {
        return (await services.signedIn.find(token, {})) !== null;
      } catch {
        return false;
      }
    },
    needsOwner: () =>
      within(
        OWNER_WAIT_MS,
        services.parts.userFactors.needsOwner().catch(() => false),
        false,
      ),
  };
}
