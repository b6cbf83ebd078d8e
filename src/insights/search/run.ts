/** Implements the operations of `operations.ts`. */
import type { Run } from '../../accounts/calls.ts';
import type { EmailSearch } from './email-search.ts';
import type { EMAIL_SEARCH_OPERATIONS } from './operations.ts';

/** The objects that the operations work with. */
export interface EmailSearchParts {
  emailSearch: EmailSearch;
}

export const run: Run<typeof EMAIL_SEARCH_OPERATIONS, EmailSearchParts> = {
  searchEmails: ({ emailSearch }, { projectId, query }) => emailSearch.search(projectId, query),
  countEmails: ({ emailSearch }, { projectId, query }) => emailSearch.count(projectId, query),
};
