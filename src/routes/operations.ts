/** Operations on routes. `run.ts` implements them. */
import { ApiAccess, RouteSecret } from '../contract/dashboard/routes.ts';
import { RotateSecret } from '../contract/dashboard/webhooks.ts';
import { CreatedRoute, CreateRoute, Route, RouteList, RouteReplay, UpdateRoute } from '../contract/routes.ts';
import { declare, tableOf } from '../contract/operation.ts';

const RESOURCE = { name: 'route', prefix: 'rt' } as const;

export const ROUTE_OPERATIONS = {
  listRoutes: declare({
    summary: 'List routes, oldest first',
    description: 'Addition to contract 0.3.0.',
    success: { status: 200, description: 'All routes of the project.', body: RouteList },
    doors: {
      api: { route: 'GET /routes', scope: 'routes:read' },
      dashboard: { route: 'GET /projects/{project}/routes', role: 'admin' },
      cli: {
        command: 'route list',
        description: 'list the routes of a project',
        example: '--project default',
        table: tableOf<Route>({
          columns: [
            { title: 'ID', cell: 'id' },
            { title: 'AGE', cell: 'created_at' },
            { title: 'RECEIVES', cell: ({ address, domain, tag }) => shownMatch(address, domain, tag) },
            { title: 'FORMAT', cell: 'format' },
            { title: 'STATE', cell: (each) => (each.failing_since === null ? 'ok' : 'failing') },
            { title: 'URL', cell: ({ url }) => url ?? 'fetched', isCut: true },
          ],
          none: 'The project {project} has no routes.',
        }),
      },
    },
  }),
  createRoute: declare({
    summary: 'Create a route',
    body: CreateRoute,
    success: { status: 201, description: 'The route with its secret.', body: CreatedRoute },
    errors: ['already-exists', 'plan-limit-exceeded'],
    doors: {
      api: {
        route: 'POST /routes',
        scope: 'routes:write',
        description:
          'Addition to contract 0.3.0. The response has the signing secret, which is never shown again. A project has at most 100 routes.',
      },
      dashboard: {
        route: 'POST /projects/{project}/routes',
        role: 'admin',
        needsConfirmation: true,
        description: 'The response has its signing secret, which is not shown again.',
      },
      cli: {
        command: 'route create',
        description: 'create a route; prints its signing secret, which is not shown again',
        example:
          '--project default --domain-id dom_01KAGK5RB2D7X1P3S6M8V5TW4Q --local-part support --url https://hooks.acme.example/incoming',
      },
    },
  }),
  getRoute: declare({
    summary: 'Fetch a route',
    success: { status: 200, description: 'The route.', body: Route },
    doors: {
      api: {
        route: 'GET /routes/{id}',
        scope: 'routes:read',
        description: 'Addition to contract 0.3.0.',
      },
      dashboard: { route: 'GET /projects/{project}/routes/{id}', role: 'admin', resource: RESOURCE },
    },
  }),
  updateRoute: declare({
    summary: 'Change the URL or the format of a route',
    body: UpdateRoute,
    success: { status: 200, description: 'The changed route.', body: Route },
    doors: {
      api: {
        route: 'PATCH /routes/{id}',
        scope: 'routes:write',
        description:
          'Addition to contract 0.3.0. What the route receives and its secret do not change. Pending messages are sent to the new URL. Without a body nothing changes.',
      },
      dashboard: {
        route: 'PATCH /projects/{project}/routes/{id}',
        role: 'admin',
        needsConfirmation: true,
        resource: RESOURCE,
      },
    },
  }),
  deleteRoute: declare({
    summary: 'Delete a route with its messages',
    success: { status: 204, description: 'Deleted.' },
    doors: {
      api: {
        route: 'DELETE /routes/{id}',
        scope: 'routes:write',
        description: 'Addition to contract 0.3.0. Also deletes its messages, including pending ones.',
      },
      dashboard: {
        route: 'DELETE /projects/{project}/routes/{id}',
        role: 'admin',
        needsConfirmation: true,
        resource: RESOURCE,
      },
      cli: {
        command: 'route delete',
        description: 'delete a route with its messages',
        example: '--project default --id rt_01KAGK5RB8C4E6G8J0M2P4R6T8',
      },
    },
  }),
  replayRouteMessage: declare({
    summary: 'Send a message of a route again',
    success: { status: 200, description: 'The message is pending.', body: RouteReplay },
    errors: ['bad-request'],
    doors: {
      api: {
        route: 'POST /routes/{id}/messages/{part}/replay',
        scope: 'routes:write',
        part: { name: 'message', prefix: 'rm' },
        description:
          'Addition to contract 0.3.0. A pending message is sent now; any other message gets a full set of attempts.',
      },
      dashboard: {
        route: 'POST /projects/{project}/routes/{id}/messages/{part}/replay',
        role: 'admin',
        resource: RESOURCE,
        part: { name: 'route message', prefix: 'rm' },
      },
    },
  }),
  rotateRouteSecret: declare({
    summary: 'Replace the secret of a route',
    description:
      'The response has the new secret, which is not shown again. Until the old secret ends, requests are signed with both.',
    body: RotateSecret,
    success: { status: 200, description: 'The new secret.', body: RouteSecret },
    doors: {
      dashboard: {
        route: 'POST /projects/{project}/routes/{id}/secret',
        role: 'admin',
        needsConfirmation: true,
        resource: RESOURCE,
      },
    },
  }),
  getApiAccess: declare({
    summary: 'Get whether routes may pass mail of a mailbox to programs',
    success: { status: 200, description: 'The setting.', body: ApiAccess },
    doors: {
      dashboard: {
        route: 'GET /projects/{project}/mailboxes/{id}/api-access',
        role: 'viewer',
        resource: { name: 'mailbox', prefix: 'mbx' },
      },
      mail: { route: 'GET /mailboxes/{mailbox}/api-access' },
    },
  }),
  setApiAccess: declare({
    summary: 'Allow or forbid that routes pass mail of a mailbox to programs',
    body: ApiAccess,
    success: { status: 200, description: 'The setting.', body: ApiAccess },
    doors: {
      dashboard: {
        route: 'PUT /projects/{project}/mailboxes/{id}/api-access',
        role: 'admin',
        needsConfirmation: true,
        resource: { name: 'mailbox', prefix: 'mbx' },
      },
    },
  }),
};

function shownMatch(address: string | null, domain: string, tag: string | null): string {
  if (address === null) return `*@${domain}`;
  return tag === null ? address : address.replace('@', `+${tag}@`);
}
