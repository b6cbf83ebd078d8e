import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';

/** The ids that identify a mailbox. */
export interface MailboxRouteKey {
  project: string;
  id: string;
}

/** The key of all cached data about a project's mailboxes, for invalidation. */
export const allMailboxes = (project: string) => ['mailboxes', project];
/** The key of all cached data about one mailbox. */
export const allOfMailbox = ({ project, id }: MailboxRouteKey) => [...allMailboxes(project), id];

export const mailboxesQuery = (project: string, q: string) =>
  infiniteQueryOptions({
    queryKey: [...allMailboxes(project), 'list', q],
    queryFn: ({ signal, pageParam }) =>
      dataOf(
        api.GET('/projects/{project}/mailboxes', {
          params: {
            path: { project },
            query: { ...(q !== '' && { q }), ...(pageParam !== null && { cursor: pageParam }) },
          },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

export const mailboxQuery = (key: MailboxRouteKey) =>
  queryOptions({
    queryKey: [...allOfMailbox(key), 'detail'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{project}/mailboxes/{id}', { params: { path: { ...key } }, signal })),
  });

export const apiAccessQuery = (key: MailboxRouteKey) =>
  queryOptions({
    queryKey: [...allOfMailbox(key), 'api-access'],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/projects/{project}/mailboxes/{id}/api-access', { params: { path: { ...key } }, signal }),
      ),
  });

export const sendingQuery = (key: MailboxRouteKey) =>
  queryOptions({
    queryKey: [...allOfMailbox(key), 'sending'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{project}/mailboxes/{id}/sending', { params: { path: { ...key } }, signal })),
  });

export const appPasswordsQuery = (key: MailboxRouteKey) =>
  queryOptions({
    queryKey: [...allOfMailbox(key), 'app-passwords'],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/projects/{project}/mailboxes/{id}/app-passwords', {
          params: { path: { ...key } },
          signal,
        }),
      ),
  });

export const sharingQuery = (key: MailboxRouteKey) =>
  queryOptions({
    queryKey: [...allOfMailbox(key), 'members'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{project}/mailboxes/{id}/members', { params: { path: { ...key } }, signal })),
  });

export const signInsQuery = (key: MailboxRouteKey) =>
  queryOptions({
    queryKey: [...allOfMailbox(key), 'sign-ins'],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/projects/{project}/mailboxes/{id}/sign-ins', { params: { path: { ...key } }, signal }),
      ),
  });

export const filingQuery = (key: MailboxRouteKey) =>
  queryOptions({
    queryKey: [...allOfMailbox(key), 'filing'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{project}/mailboxes/{id}/filing', { params: { path: { ...key } }, signal })),
  });

/** The domains that a new address can use, the hosted domain first. */
export const domainsQuery = (project: string) =>
  queryOptions({
    queryKey: ['domains', project],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{project}/domains', { params: { path: { project } }, signal })),
  });
