import { queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';

/** The sign-in methods besides a password, which change only when the service restarts. */
export const waysQuery = queryOptions({
  queryKey: ['sign-in-ways'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: ({ signal }) => dataOf(api.GET('/sign-in', { signal })),
});
