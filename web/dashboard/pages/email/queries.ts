import { queryOptions } from '@tanstack/react-query';
import { ApiProblem, dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { InspectedEmail } from '../../../../src/contract/dashboard/email.ts';

const LIVE_MS = 2_000;
/** The refresh interval of a finished email, whose opens and clicks arrive late and rarely. */
const WATCH_MS = 10_000;
const WATCHED_MS = 24 * 3_600_000;

export function emailQuery(project: string, id: string) {
  return queryOptions({
    queryKey: ['email', project, id],
    async queryFn({ signal }) {
      const params = { path: { project, id } };
      // The types of openapi-fetch leave out members whose value is always null.
      return (await dataOf(api.GET('/projects/{project}/emails/{id}', { params, signal }))) as InspectedEmail;
    },
    refetchInterval({ state: { data, error } }) {
      // The email may have been deleted, or the user may no longer see it. After any other error the next request may succeed.
      if (data === undefined || (error instanceof ApiProblem && error.status < 500)) return false;
      if (!data.is_done) return LIVE_MS;
      return Date.now() - Date.parse(data.created_at) < WATCHED_MS ? WATCH_MS : false;
    },
  });
}

/** @param clicks the current number of clicks. The content includes click counts, so a new number refetches the content */
export function contentQuery(project: string, id: string, clicks: number) {
  return queryOptions({
    queryKey: ['email-content', project, id, clicks],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/projects/{project}/emails/{id}/content', { params: { path: { project, id } }, signal }),
      ),
    staleTime: 60_000,
    placeholderData: (before, query) => (query?.queryKey[2] === id ? before : undefined),
  });
}

/** The URL for a part of an email, for links and frames. */
export function partUrl(
  project: string,
  id: string,
  part: 'source' | 'preview' | 'file',
  query = '',
): string {
  return `/dashboard/api/projects/${project}/emails/${id}/${part}${query}`;
}
