/** Implements the operations of `operations.ts`. */
import type { Database } from '../../db/database.ts';
import type { Run } from '../calls.ts';
import { listMemberKeys } from './member-keys.ts';
import type { KEY_OPERATIONS } from './operations.ts';
import type { ProjectKeys } from './project-keys.ts';

/** The parts of the core that the operations need. */
export interface KeyParts {
  database: Database;
  projectKeys: ProjectKeys;
}

export const run: Run<typeof KEY_OPERATIONS, KeyParts> = {
  listApiKeys: ({ projectKeys }, { projectId }) => projectKeys.list(projectId),
  createApiKey: ({ projectKeys }, { projectId, principal, body }) =>
    projectKeys.create(projectId, principal, body),
  renameApiKey: ({ projectKeys }, { projectId, id, body }) => projectKeys.rename(projectId, id, body.name),
  // A revocation grants no rights and therefore needs no fresh confirmation. A leaked key can be revoked at once.
  revokeApiKey: ({ projectKeys }, { projectId, id }) => projectKeys.revoke(projectId, id),
  listMemberKeys: ({ database }, { principal, id }) => listMemberKeys(database, principal.organizationId, id),
};
