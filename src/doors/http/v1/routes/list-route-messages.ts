import { ROUTE_MESSAGE_OPERATIONS } from '../../../../routes/messages/operations.ts';
import { apiRun } from '../../operation.ts';
import { responseAbortSignal } from '../../response-end.ts';

/** Waits only as long as the client does, and not when the server stops. */
export const listRouteMessages = apiRun(
  ROUTE_MESSAGE_OPERATIONS.listRouteMessages,
  ({ services, caller: { projectId }, id, query, reply }) =>
    services.parts.routeMessages.next(
      { projectId, routeId: id },
      query,
      responseAbortSignal(reply),
      reply.server.stopping.signal,
    ),
);
