/** Implements the operations of `operations.ts`. */
import type { FairReads } from '../../db/fair-reads.ts';
import type { Run } from '../calls.ts';
import { listRejected, readRejected } from './read-rejected.ts';
import type { API_LOG_OPERATIONS } from './operations.ts';

/** The parts of the core that the operations need. */
export interface ApiLogParts {
  dashboardReads: FairReads;
}

export const run: Run<typeof API_LOG_OPERATIONS, ApiLogParts> = {
  listRejectedRequests: ({ dashboardReads }, { projectId, query }) =>
    dashboardReads.run(projectId, (pool) => listRejected(pool, projectId, query)),
  getRejectedRequest: ({ dashboardReads }, { principal, projectId, id }) =>
    dashboardReads.run(projectId, (pool) => readRejected(pool, projectId, id, principal.seesBodies)),
};
