/** Implements the operations of `operations.ts`. */
import type { Run } from '../../accounts/calls.ts';
import { AppError } from '../../model/app-error.ts';
import type { SUPPRESSION_OPERATIONS } from './operations.ts';
import type { SuppressionSearch } from './suppression-search.ts';
import type { Suppressions } from './suppressions.ts';

/** The parts of the core that the operations need. */
export interface SuppressionParts {
  suppressionSearch: SuppressionSearch;
  suppressions: Suppressions;
}

export const run: Run<typeof SUPPRESSION_OPERATIONS, SuppressionParts> = {
  listSuppressions: ({ suppressions }, { projectId, query }) => suppressions.list(projectId, query),
  searchSuppressions: ({ suppressionSearch }, { projectId, query }) =>
    suppressionSearch.search(projectId, query),
  addSuppressions: ({ suppressions }, { projectId, body }) => suppressions.add(projectId, body),
  importSuppressions: ({ suppressions }, { projectId, body }) => suppressions.importFile(projectId, body),
  getSuppression: ({ suppressions }, { projectId, address }) => suppressions.find(projectId, address),
  explainSuppression: async ({ suppressionSearch }, { projectId, query }) => {
    const found = await suppressionSearch.explain(projectId, query.address);
    if (found === null) throw new AppError('not-found', 'The address is not on the suppression list.');
    return found;
  },
  removeSuppression: async ({ suppressions }, { projectId, address }) =>
    (await suppressions.remove(projectId, [address])).length > 0,
  removeSuppressions: async ({ suppressions }, { projectId, body }) => ({
    removed: (await suppressions.remove(projectId, body.addresses)).length,
  }),
};
