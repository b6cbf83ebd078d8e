/** Implements the operations of `operations.ts`. */
import type { Run } from '../accounts/calls.ts';
import type { Database } from '../db/database.ts';
import type { Directory } from './directory.ts';
import type { DIRECTORY_OPERATIONS } from './operations.ts';
import type { PeopleSearch } from './people-search.ts';
import { unshareDirectory } from './shares.ts';

/** What the operations need of the core. */
export interface DirectoryParts {
  database: Database;
  directory: Directory;
  people: PeopleSearch;
}

export const run: Run<typeof DIRECTORY_OPERATIONS, DirectoryParts> = {
  listDirectory: ({ directory }, { projectId }) => directory.list(projectId),
  listPeople: ({ people }, { projectId, query }) => people.search(projectId, query),
  createPerson: ({ directory }, { projectId, body }) => directory.add(projectId, body),
  changePerson: ({ directory }, { projectId, id, body }) => directory.change(projectId, id, body),
  deletePerson: ({ directory }, { projectId, id }) => directory.remove(projectId, id),
  listShares: ({ directory }, { projectId }) => directory.shares(projectId),
  deleteShare: ({ database }, { projectId, id }) => unshareDirectory(database, projectId, { id }),
};
