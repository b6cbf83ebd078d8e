import { RotateSecret, RotatedSecret } from '../../../../contract/dashboard/webhooks.ts';
import { dashboardOperation } from '../operation.ts';

export const rotateWebhookSecret = dashboardOperation({
  method: 'POST',
  path: '/projects/{project}/webhooks/{id}/secret',
  role: 'developer',
  confirms: true,
  resource: { name: 'webhook', prefix: 'wh' },
  summary: 'Rotate the signing secret',
  description: 'The new one is in the answer, and in no other one.',
  body: RotateSecret,
  success: { status: 200, description: 'The new secret.', body: RotatedSecret },
  run: ({ services, projectId, id, body }) =>
    services.webhookPages.rotateSecret({ projectId, webhookId: id }, body.overlap_hours),
});
