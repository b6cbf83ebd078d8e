import { queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';

/** How people sign in here beside a password. It changes with a start of the service. */
export const waysQuery = queryOptions({
  queryKey: ['sign-in-ways'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: ({ signal }) => dataOf(api.GET('/sign-in', { signal })),
});
