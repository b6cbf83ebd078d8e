import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { UpdateProject } from '../../../../src/contract/dashboard/projects.ts';
import { toast } from '../../../ui/toast.tsx';
import { sessionQuery, useProject } from '../../shell/session.ts';

export const settingsQuery = (project: string) =>
  queryOptions({
    queryKey: ['settings', project],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{project}/settings', { params: { path: { project } }, signal })),
  });

/** Changes settings and shows a confirmation. */
export function useChange() {
  const { id: project } = useProject();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: UpdateProject) =>
      dataOf(api.PATCH('/projects/{project}', { params: { path: { project } }, body })),
    onSuccess: () => toast('Saved'),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: settingsQuery(project).queryKey }),
        queries.invalidateQueries({ queryKey: sessionQuery.queryKey }),
      ]),
  });
}
