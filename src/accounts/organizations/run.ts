/** Implements the operations of `operations.ts`. */
import type { Database } from '../../db/database.ts';
import type { Run } from '../calls.ts';
import { createOrganizationWithOwner } from '../members/memberships.ts';
import type { ORGANIZATION_OPERATIONS } from './operations.ts';
import { renameOrganization } from './organizations.ts';

/** The parts of the core that the operations need. */
export interface OrganizationParts {
  database: Database;
}

export const run: Run<typeof ORGANIZATION_OPERATIONS, OrganizationParts> = {
  createOrganization: ({ database }, { principal, body }) =>
    createOrganizationWithOwner(database, principal.userId, body.name),
  updateOrganization: ({ database }, { principal, body }) =>
    renameOrganization(database, principal.organizationId, body.name),
};
