import { queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../api/client.ts';
import { api } from '../../api/dashboard.ts';

/** How the user signs in. */
export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => dataOf(api.GET('/user', { signal })),
});
