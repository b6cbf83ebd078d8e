/** Operations on webhooks and their secrets. `run.ts` implements them. */
import {
  ActivityQuery,
  DashboardWebhookDetail,
  DashboardWebhookList,
  RotateSecret,
  RotatedSecret,
  WebhookActivityDetail,
} from '../contract/dashboard/webhooks.ts';
import {
  CreateWebhook,
  CreatedWebhook,
  UpdateWebhook,
  Webhook,
  WebhookDetail,
  WebhookList,
  WebhookTest,
} from '../contract/webhooks.ts';
import { declare, tableOf } from '../contract/operation.ts';
import { EVENT_KEYS } from '../model/event-keys.ts';

export const WEBHOOK_OPERATIONS = {
  listWebhooks: declare({
    summary: 'List webhooks, oldest first',
    success: { status: 200, description: 'All webhooks of the project.', body: WebhookList },
    doors: {
      api: { route: 'GET /webhooks', scope: 'webhooks:read', twin: 'listWebhooks' },
      cli: {
        command: 'webhook list',
        description: 'list the webhooks of a project',
        example: '--project default',
        table: tableOf<Webhook>({
          columns: [
            { title: 'ID', cell: 'id' },
            { title: 'AGE', cell: 'created_at' },
            {
              title: 'STATE',
              cell: (each) => (each.enabled ? 'enabled' : (each.disabled_reason ?? 'disabled')),
            },
            { title: 'URL', cell: 'url', isCut: true },
            {
              title: 'EVENTS',
              cell: ({ events }) =>
                events.length === EVENT_KEYS.length
                  ? 'all'
                  : events.map((event) => event.replace('email.', '')).join(','),
              isCut: true,
            },
          ],
          none: 'The project {project} has no webhooks.',
        }),
      },
    },
  }),
  listWebhookPage: declare({
    summary: 'List the webhooks of a project, with their attempts of the last day',
    success: { status: 200, description: 'The webhooks.', body: DashboardWebhookList },
    doors: {
      dashboard: { id: 'listWebhooks', route: 'GET /projects/{project}/webhooks', role: 'viewer' },
    },
  }),
  createWebhook: declare({
    summary: 'Create a webhook',
    body: CreateWebhook,
    success: { status: 201, description: 'The webhook with its secret.', body: CreatedWebhook },
    errors: ['plan-limit-exceeded'],
    doors: {
      api: {
        route: 'POST /webhooks',
        scope: 'webhooks:write',
        description:
          'The response has the signing secret, which is never shown again. A project has at most 50 webhooks.',
      },
      dashboard: {
        route: 'POST /projects/{project}/webhooks',
        role: 'developer',
        needsConfirmation: true,
        summary: 'Create a webhook',
        description: 'The response has its signing secret, which is not shown again.',
        success: 'The webhook, with its secret.',
      },
    },
  }),
  getWebhook: declare({
    summary: 'Fetch a webhook with its last deliveries',
    success: { status: 200, description: 'The webhook.', body: WebhookDetail },
    doors: {
      api: { route: 'GET /webhooks/{id}', scope: 'webhooks:read', twin: 'getWebhook' },
    },
  }),
  getWebhookDetails: declare({
    summary: 'Get a webhook, with its pending deliveries and its last replay',
    success: { status: 200, description: 'The webhook.', body: DashboardWebhookDetail },
    doors: {
      dashboard: {
        id: 'getWebhook',
        route: 'GET /projects/{project}/webhooks/{id}',
        role: 'viewer',
        resource: { name: 'webhook', prefix: 'wh' },
      },
    },
  }),
  updateWebhook: declare({
    summary: 'Change, disable or enable a webhook',
    body: UpdateWebhook,
    success: { status: 200, description: 'The changed webhook.', body: Webhook },
    doors: {
      api: {
        route: 'PATCH /webhooks/{id}',
        scope: 'webhooks:write',
        description: 'The secret does not change. Without a body nothing changes.',
      },
      dashboard: {
        route: 'PATCH /projects/{project}/webhooks/{id}',
        role: 'developer',
        needsConfirmation: true,
        resource: { name: 'webhook', prefix: 'wh' },
        summary: 'Change, pause or resume a webhook',
        description: 'Pausing it (`enabled: false`) marks its pending deliveries as failed.',
        success: 'The webhook.',
      },
    },
  }),
  deleteWebhook: declare({
    summary: 'Delete a webhook',
    success: { status: 204, description: 'Deleted.' },
    doors: {
      api: {
        route: 'DELETE /webhooks/{id}',
        scope: 'webhooks:write',
        description: 'The deliveries of the webhook are also deleted, including pending ones.',
      },
      dashboard: {
        route: 'DELETE /projects/{project}/webhooks/{id}',
        role: 'developer',
        needsConfirmation: true,
        resource: { name: 'webhook', prefix: 'wh' },
        summary: 'Delete a webhook with its log of deliveries',
        success: 'The webhook is deleted.',
      },
    },
  }),
  testWebhook: declare({
    summary: 'Send a test event to a webhook',
    success: { status: 200, description: 'The response of the receiver, success or not.', body: WebhookTest },
    doors: {
      api: {
        route: 'POST /webhooks/{id}/test',
        scope: 'webhooks:write',
        description:
          'Sends one signed webhook.test event immediately, even to a disabled webhook, and waits up to 10 seconds for the receiver. At most 20 tests of a project run at once.',
      },
      dashboard: {
        route: 'POST /projects/{project}/webhooks/{id}/test',
        role: 'developer',
        resource: { name: 'webhook', prefix: 'wh' },
        summary: 'Send a test event',
        description:
          'Sends it once, immediately, even to a paused webhook, and waits at most 10 seconds for the response of the receiver.',
      },
    },
  }),
  getWebhookActivity: declare({
    summary: 'Count the attempts of a webhook by hour or day',
    query: ActivityQuery,
    success: { status: 200, description: 'The counts.', body: WebhookActivityDetail },
    doors: {
      dashboard: {
        route: 'GET /projects/{project}/webhooks/{id}/activity',
        role: 'viewer',
        resource: { name: 'webhook', prefix: 'wh' },
      },
    },
  }),
  rotateWebhookSecret: declare({
    summary: 'Rotate the signing secret',
    description: 'The response has the new secret, which is not shown again.',
    body: RotateSecret,
    success: { status: 200, description: 'The new secret.', body: RotatedSecret },
    doors: {
      dashboard: {
        route: 'POST /projects/{project}/webhooks/{id}/secret',
        role: 'developer',
        needsConfirmation: true,
        resource: { name: 'webhook', prefix: 'wh' },
      },
    },
  }),
  finishSecretRotation: declare({
    summary: 'Finish the rotation of the signing secret',
    success: { status: 200, description: 'The webhook.', body: DashboardWebhookDetail },
    doors: {
      dashboard: {
        route: 'POST /projects/{project}/webhooks/{id}/secret/finish',
        role: 'developer',
        needsConfirmation: true,
        resource: { name: 'webhook', prefix: 'wh' },
      },
    },
  }),
  cancelSecretRotation: declare({
    summary: 'Cancel the rotation of the signing secret',
    description: 'Only the old secret stays in use.',
    success: { status: 200, description: 'The webhook.', body: DashboardWebhookDetail },
    errors: ['bad-request'],
    doors: {
      dashboard: {
        route: 'POST /projects/{project}/webhooks/{id}/secret/cancel',
        role: 'developer',
        needsConfirmation: true,
        resource: { name: 'webhook', prefix: 'wh' },
      },
    },
  }),
};
