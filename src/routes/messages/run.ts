/** Implements the operations of `operations.ts`. */
import type { Run } from '../../accounts/calls.ts';
import type { DashboardRouteMessages } from './dashboard-messages.ts';
import type { ROUTE_MESSAGE_OPERATIONS } from './operations.ts';
import type { RouteMessages } from './route-messages.ts';

/** The parts of the core that the operations need. */
export interface RouteMessageParts {
  routeMessages: RouteMessages;
  routeMessagePages: DashboardRouteMessages;
}

export const run: Run<typeof ROUTE_MESSAGE_OPERATIONS, RouteMessageParts> = {
  getRouteMessage: ({ routeMessages }, { projectId, id, partId }) =>
    routeMessages.get({ projectId, routeId: id }, partId),
  listRouteMessagePage: ({ routeMessagePages }, { projectId, id, query }) =>
    routeMessagePages.list({ projectId, routeId: id }, query),
  getRouteMessageAttempts: ({ routeMessagePages }, { projectId, id, partId }) =>
    routeMessagePages.get({ projectId, routeId: id }, partId),
};
