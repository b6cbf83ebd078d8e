/** Implements the operations of `operations.ts`. */
import type { Run } from '../accounts/calls.ts';
import type { Database } from '../db/database.ts';
import { validationError } from '../model/app-error.ts';
import { decodeId, NIL_UUID } from '../model/ids.ts';
import type { Directory } from './directory.ts';
import type { DIRECTORY_OPERATIONS } from './operations.ts';
import type { PeopleSearch } from './people-search.ts';
import { shareDirectory, unshareDirectory } from './shares.ts';

/** The objects that the operations work with. */
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
  createShare: async ({ database }, { projectId, lookUp, body }) => {
    const toProjectId = decodeId('prj', body.to) ?? NIL_UUID;
    // Report a project that the user may not see in the same way as one that does not exist.
    const found = await lookUp({ projectId: toProjectId });
    if (found === null || found.rights === null)
      throw validationError({ to: 'must be a project that you can see' });
    return { id: await shareDirectory(database, projectId, toProjectId) };
  },
  deleteShare: ({ database }, { projectId, id }) => unshareDirectory(database, projectId, { id }),
};
