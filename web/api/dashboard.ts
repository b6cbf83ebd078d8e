/**
 * The API of the dashboard for its pages, typed by its document:
 *
 *     const { data } = useQuery({
 *       queryKey: ['api-keys', project.id],
 *       queryFn: ({ signal }) =>
 *         dataOf(api.GET('/projects/{project}/api-keys', { params: { path: { project: project.id } }, signal })),
 *     });
 */
import { createApi } from './client.ts';
import type { paths } from './schema.ts';

let csrfToken = '';

/** @param token of the session, for every request that changes something */
export function setCsrfToken(token: string): void {
  csrfToken = token;
}

export const api = createApi<paths>({ prefix: '/dashboard/api', csrfToken: () => csrfToken });
