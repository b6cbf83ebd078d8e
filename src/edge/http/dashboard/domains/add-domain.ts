import { CreateDomain, Domain } from '../../../../contract/domains.ts';
import { dashboardOperation } from '../operation.ts';

export const addDomain = dashboardOperation({
  method: 'POST',
  path: '/projects/{project}/domains',
  role: 'developer',
  summary: 'Add a domain',
  body: CreateDomain,
  success: { status: 201, description: 'The domain, with the records to publish.', body: Domain },
  errors: ['already-exists', 'plan-limit-exceeded'],
  run: ({ services, projectId, body }) => services.domains.create(projectId, body),
});
