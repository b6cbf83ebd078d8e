/** Implements the operations of `operations.ts`. */
import type { Run } from '../accounts/calls.ts';
import type { Database } from '../db/database.ts';
import { readApiAccess, setApiAccess } from './api-access.ts';
import type { ROUTE_OPERATIONS } from './operations.ts';
import { replayMessage } from './replay-message.ts';
import type { Routes } from './routes.ts';

/** The parts of the core that the operations need. */
export interface RouteParts {
  database: Database;
  routes: Routes;
  /** Wakes the workers. */
  wake(): void;
}

export const run: Run<typeof ROUTE_OPERATIONS, RouteParts> = {
  listRoutes: ({ routes }, { projectId }) => routes.list(projectId),
  createRoute: ({ routes }, { projectId, body }) => routes.create(projectId, body),
  getRoute: ({ routes }, { projectId, id }) => routes.get(projectId, id),
  updateRoute: ({ routes }, { projectId, id, body }) => routes.update(projectId, id, body),
  deleteRoute: ({ routes }, { projectId, id }) => routes.delete(projectId, id),
  replayRouteMessage: async ({ database, wake }, { projectId, id, partId }) => {
    const replayed = await replayMessage(database, { projectId, routeId: id, messageId: partId });
    wake();
    return replayed;
  },
  rotateRouteSecret: ({ routes }, { projectId, id, body }) =>
    routes.rotateSecret(projectId, id, body.overlap_hours),
  getApiAccess: ({ database }, { mailbox }) => readApiAccess(database, mailbox),
  setApiAccess: ({ database }, { projectId, id, body }) =>
    setApiAccess(database, { projectId, mailboxId: id }, body),
};
