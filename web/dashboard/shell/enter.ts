/** Signing in to the dashboard, and signing out. */
import { api } from '../../api/dashboard.ts';
import { queryClient } from '../../api/query-client.ts';
import { returnAddress } from '../../shell/return-address.ts';
import { endSession } from '../../shell/sign-out.ts';

/**
 * @param requestedPath the page that the user came from
 * @returns `requestedPath`, or the first page if `requestedPath` is outside the dashboard
 */
export function pageAfterSignIn(requestedPath: string): string {
  return returnAddress(requestedPath, '/dashboard', (path) => /^\/dashboard(?:\/|$)/.test(path));
}

/**
 * Drops all data of the previous user and opens the dashboard.
 * @param requestedPath the page that the user came from
 */
export function enterDashboard(requestedPath = ''): void {
  queryClient.clear();
  location.assign(pageAfterSignIn(requestedPath));
}

export function signOut(): Promise<void> {
  return endSession(() => api.DELETE('/session'), '/dashboard/sign-in');
}
