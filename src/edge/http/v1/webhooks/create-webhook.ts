import { CreatedWebhook, CreateWebhook } from '../../../../contract/webhooks.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, createWebhook. */
export const createWebhook = operation({
  method: 'POST',
  path: '/webhooks',
  scope: 'webhooks:write',
  twin: 'createWebhook',
  summary: 'Create a webhook',
  description:
    'The answer holds the signing secret, which is never shown again. A project has at most 50 webhooks.',
  body: CreateWebhook,
  success: { status: 201, description: 'The webhook with its secret.', body: CreatedWebhook },
  errors: ['plan-limit-exceeded'],
  run: ({ services, caller, body }) => services.webhooks.create(caller.projectId, body),
});
