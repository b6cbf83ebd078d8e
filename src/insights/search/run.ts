/** Implements the operations of `operations.ts`. */
import type { Run } from '../../accounts/calls.ts';
import type { Database } from '../../db/database.ts';
import type { EmailSearch } from './email-search.ts';
import { deleteEmailView, listEmailViews, saveEmailView } from './email-views.ts';
import type { EMAIL_SEARCH_OPERATIONS } from './operations.ts';

/** The objects that the operations work with. */
export interface EmailSearchParts {
  emailSearch: EmailSearch;
  database: Database;
}

export const run: Run<typeof EMAIL_SEARCH_OPERATIONS, EmailSearchParts> = {
  searchEmails: ({ emailSearch }, { projectId, query }) => emailSearch.search(projectId, query),
  countEmails: ({ emailSearch }, { projectId, query }) => emailSearch.count(projectId, query),
  listEmailViews: ({ database }, { projectId, principal }) => listEmailViews(database, projectId, principal),
  saveEmailView: ({ database }, { projectId, principal, body }) =>
    saveEmailView(database, projectId, principal, body),
  deleteEmailView: ({ database }, { projectId, principal, id }) =>
    deleteEmailView(database, projectId, principal, id),
};
