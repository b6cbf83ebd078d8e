import { queryClient } from '../../api/query-client.ts';

/** Into the dashboard, after somebody has signed in: nothing of who was there before is left. @param to a path of ours */
export function enterDashboard(to = '/dashboard'): void {
  queryClient.clear();
  location.assign(to);
}
