/** Operations on the messages of a route. `run.ts` implements them, and the API implements the one that waits. */
import {
  RouteMessageAttempts,
  RouteMessagePage,
  RouteMessagePageQuery,
} from '../../contract/dashboard/route-messages.ts';
import { declare } from '../../contract/operation.ts';
import { RouteMessage, RouteMessageList, RouteMessagesQuery } from '../../contract/route-messages.ts';

const MESSAGE = { name: 'message', prefix: 'rm' } as const;
const ROUTE = { name: 'route', prefix: 'rt' } as const;

export const ROUTE_MESSAGE_OPERATIONS = {
  listRouteMessages: declare({
    summary: 'Fetch the next messages of a route, and wait for one if there is none',
    description:
      'Fetching does not acknowledge a message: it is deleted after 30 days. Store the cursor when you have processed the messages. Addition to contract 0.3.0.',
    query: RouteMessagesQuery,
    success: { status: 200, description: 'The messages, oldest first.', body: RouteMessageList },
    raw: true,
    doors: {
      api: { route: 'GET /routes/{id}/messages', scope: 'routes:read', twin: 'listRouteMessages' },
    },
  }),
  getRouteMessage: declare({
    summary: 'Fetch a message of a route',
    description: 'Addition to contract 0.3.0.',
    success: { status: 200, description: 'The message.', body: RouteMessage },
    doors: {
      api: {
        route: 'GET /routes/{id}/messages/{part}',
        scope: 'routes:read',
        twin: 'getRouteMessage',
        part: MESSAGE,
      },
    },
  }),
  listRouteMessagePage: declare({
    summary: 'List the messages of a route, newest first',
    query: RouteMessagePageQuery,
    success: { status: 200, description: 'A page.', body: RouteMessagePage },
    doors: {
      dashboard: {
        id: 'listRouteMessages',
        route: 'GET /projects/{project}/routes/{id}/messages',
        role: 'admin',
        resource: ROUTE,
      },
    },
  }),
  getRouteMessageAttempts: declare({
    summary: 'Get a message of a route, with its attempts',
    success: { status: 200, description: 'The message without its content.', body: RouteMessageAttempts },
    doors: {
      dashboard: {
        id: 'getRouteMessage',
        route: 'GET /projects/{project}/routes/{id}/messages/{part}',
        role: 'admin',
        resource: ROUTE,
        part: MESSAGE,
      },
    },
  }),
};
