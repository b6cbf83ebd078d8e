/** Signing in to the dashboard, and signing out. */
import { api } from '../../api/dashboard.ts';
import { queryClient } from '../../api/query-client.ts';
import { returnAddress } from '../../shell/return-address.ts';
import { endSession } from '../../shell/sign-out.ts';

/** @param asked the page that the user came from @returns `asked`, or the first page if `asked` is outside the dashboard */
export function pageAfterSignIn(asked: string): string {
  return returnAddress(asked, '/dashboard', (path) => /^\/dashboard(?:\/|$)/.test(path));
}

/** Drops all data of the previous user, and opens the dashboard. @param asked the page that the user came from */
export function enterDashboard(asked = ''): void {
  queryClient.clear();
  location.assign(pageAfterSignIn(asked));
}

export function signOut(): Promise<void> {
  return endSession(() => api.DELETE('/session'), '/dashboard/sign-in');
}
