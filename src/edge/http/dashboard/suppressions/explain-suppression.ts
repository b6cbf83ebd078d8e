import { ExplainedSuppression, GetSuppressionQuery } from '../../../../contract/dashboard/suppressions.ts';
import { AppError } from '../../../../model/app-error.ts';
import { dashboardOperation } from '../operation.ts';

export const explainSuppression = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/suppressions/why',
  role: 'viewer',
  summary: 'Tell why an address gets no more mail',
  query: GetSuppressionQuery,
  success: { status: 200, description: 'The entry, and what led to it.', body: ExplainedSuppression },
  async run({ services, projectId, query }) {
    const found = await services.suppressionSearch.explain(projectId, query.address);
    if (found === null) throw new AppError('not-found', 'The address is not on the list.');
    return found;
  },
});
