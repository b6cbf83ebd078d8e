import { FoundPeople, SearchPeopleQuery } from '../../../../contract/dashboard/directory.ts';
import { dashboardOperation } from '../operation.ts';

export const listPeople = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/directory',
  role: 'viewer',
  summary: 'Search the directory of a project, by name',
  query: SearchPeopleQuery,
  success: { status: 200, description: 'A page of it.', body: FoundPeople },
  run: ({ services, projectId, query }) => services.people.search(projectId, query),
});
