/** Implements the operations of `operations.ts`. */
import type { Run } from '../accounts/calls.ts';
import type { Database } from '../db/database.ts';
import type { FairReads } from '../db/fair-reads.ts';
import { deleteOrganization, deleteProject } from './delete-project.ts';
import { eraseEmail } from './erase.ts';
import { eraseInSteps } from './erase-in-steps.ts';
import type { RETENTION_OPERATIONS } from './operations.ts';
import { previewRetention } from './preview-retention.ts';
import { readContents, readContentsOfOrganization } from './project-contents.ts';

/** The objects that the operations work with. */
export interface RetentionParts {
  database: Database;
  dashboardReads: FairReads;
}

export const run: Run<typeof RETENTION_OPERATIONS, RetentionParts> = {
  getOrganizationContents: ({ dashboardReads }, { principal: { organizationId } }) =>
    dashboardReads.run(organizationId, (pool) => readContentsOfOrganization(pool, organizationId)),
  deleteOrganization: ({ database }, { principal, body }) =>
    deleteOrganization(database, principal.organizationId, body.name),
  previewRetention: ({ dashboardReads }, { projectId, query }) => {
    const { keep_days: keepDays, keep_bodies_days: keepBodiesDays } = query;
    return dashboardReads.run(projectId, (pool) =>
      previewRetention(pool, projectId, { keepDays, keepBodiesDays }),
    );
  },
  erasePerson: ({ database, dashboardReads }, { projectId, body }) =>
    eraseInSteps({ database, reads: dashboardReads }, projectId, body),
  getProjectContents: ({ dashboardReads }, { projectId }) =>
    dashboardReads.run(projectId, (pool) => readContents(pool, [projectId])),
  deleteProject: ({ database }, { projectId, body }) => deleteProject(database, projectId, body.name),
  eraseEmail: ({ database }, { projectId, id }) => eraseEmail(database, projectId, id),
};
