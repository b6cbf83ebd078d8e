import { RetentionPreview, RetentionQuery } from '../../../../contract/dashboard/projects.ts';
import { dashboardOperation } from '../operation.ts';

export const previewRetention = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/retention/preview',
  role: 'admin',
  summary: 'Count what would be deleted if emails were kept for so long',
  query: RetentionQuery,
  success: { status: 200, description: 'The numbers.', body: RetentionPreview },
  run: ({ services, projectId, query: { keep_days: keepDays, keep_bodies_days: keepBodiesDays } }) =>
    services.projects.previewRetention(projectId, { keepDays, keepBodiesDays }),
});
