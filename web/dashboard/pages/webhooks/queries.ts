import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api, type DashboardPaths } from '../../../api/dashboard.ts';

type Operation = DashboardPaths['/projects/{project}/webhooks/{id}/deliveries']['get'];
export type DeliveryFilterFields = Omit<
  NonNullable<NonNullable<Operation['parameters']['query']>>,
  'cursor' | 'limit'
>;
export type Span = '24h' | '7d' | '30d';

/** The ids that identify a webhook. */
export interface WebhookRouteKey {
  project: string;
  id: string;
}

/** The key of all cached data about a project's webhooks, for invalidation. */
export const allWebhooks = (project: string) => ['webhooks', project];
/** The key of all cached data about one webhook. */
export const allOfWebhook = ({ project, id }: WebhookRouteKey) => [...allWebhooks(project), id];

export const webhooksQuery = (project: string) =>
  queryOptions({
    queryKey: [...allWebhooks(project), 'list'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{project}/webhooks', { params: { path: { project } }, signal })),
  });

export const webhookQuery = (key: WebhookRouteKey) =>
  queryOptions({
    queryKey: [...allOfWebhook(key), 'detail'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{project}/webhooks/{id}', { params: { path: { ...key } }, signal })),
  });

export const activityQuery = (key: WebhookRouteKey, span: Span) =>
  queryOptions({
    queryKey: [...allOfWebhook(key), 'activity', span],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/projects/{project}/webhooks/{id}/activity', {
          params: { path: { ...key }, query: { span } },
          signal,
        }),
      ),
  });

export const deliveriesQuery = (key: WebhookRouteKey, filter: DeliveryFilterFields) =>
  infiniteQueryOptions({
    queryKey: [...allOfWebhook(key), 'deliveries', filter],
    queryFn: ({ signal, pageParam }) =>
      dataOf(
        api.GET('/projects/{project}/webhooks/{id}/deliveries', {
          params: {
            path: { ...key },
            query: { ...filter, ...(pageParam !== null && { cursor: pageParam }) },
          },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

export const deliveryQuery = (key: WebhookRouteKey, part: string) =>
  queryOptions({
    queryKey: [...allOfWebhook(key), 'delivery', part],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/projects/{project}/webhooks/{id}/deliveries/{part}', {
          params: { path: { ...key, part } },
          signal,
        }),
      ),
  });

/** @param since the start of the time range; null for all deliveries */
export const failedQuery = (key: WebhookRouteKey, since: string | null) =>
  queryOptions({
    queryKey: [...allOfWebhook(key), 'failed', since],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/projects/{project}/webhooks/{id}/failed', {
          params: { path: { ...key }, query: since === null ? {} : { since } },
          signal,
        }),
      ),
  });
