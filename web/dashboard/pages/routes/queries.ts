import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api, type DashboardPaths } from '../../../api/dashboard.ts';

type Operation = DashboardPaths['/projects/{project}/routes/{id}/messages']['get'];
export type MessageStatus = NonNullable<NonNullable<Operation['parameters']['query']>['status']>;

/** The ids that identify a route. */
export interface RouteKey {
  project: string;
  id: string;
}

/** The key of all cached data about a project's routes, for invalidation. */
export const allRoutes = (project: string) => ['routes', project];
/** The key of all cached data about one route. */
export const allOfRoute = ({ project, id }: RouteKey) => [...allRoutes(project), id];

export const routesQuery = (project: string) =>
  queryOptions({
    queryKey: [...allRoutes(project), 'list'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{project}/routes', { params: { path: { project } }, signal })),
  });

export const routeQuery = (key: RouteKey) =>
  queryOptions({
    queryKey: [...allOfRoute(key), 'detail'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{project}/routes/{id}', { params: { path: { ...key } }, signal })),
  });

export const messagesQuery = (key: RouteKey, status: MessageStatus | null) =>
  infiniteQueryOptions({
    queryKey: [...allOfRoute(key), 'messages', status],
    queryFn: ({ signal, pageParam }) =>
      dataOf(
        api.GET('/projects/{project}/routes/{id}/messages', {
          params: {
            path: { ...key },
            query: { ...(status !== null && { status }), ...(pageParam !== null && { cursor: pageParam }) },
          },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

export const messageQuery = (key: RouteKey, part: string) =>
  queryOptions({
    queryKey: [...allOfRoute(key), 'message', part],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/projects/{project}/routes/{id}/messages/{part}', {
          params: { path: { ...key, part } },
          signal,
        }),
      ),
  });
