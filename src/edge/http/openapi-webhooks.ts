/** The section `webhooks` of the OpenAPI document: what is POSTed to the URL of a webhook (docs/webhooks.md). */
import { WEBHOOK_BODIES } from '../../contract/events.ts';
import { Ref } from '../../contract/schema.ts';
import type { Schema, WebhookRequest } from './api-document.ts';

const SIGNATURE: WebhookRequest['parameters'][number] = {
  in: 'header',
  name: 'X-Mail-Signature',
  required: true,
  description:
    'When it was sent, and the HMAC-SHA256 of `<t>.<body>` under the whole secret, in hex. While a secret is rotated there is a `v1` for each.',
  schema: { type: 'string', pattern: '^t=\\d+(,v1=[0-9a-f]{64})+$' },
};

/** By the `type` of the body. */
export function documentedWebhooks(): Record<string, { post: WebhookRequest }> {
  return Object.fromEntries(
    WEBHOOK_BODIES.map(({ type, name, description, schema }) => {
      const post: WebhookRequest = {
        operationId: `${name.charAt(0).toLowerCase()}${name.slice(1)}`,
        summary: description,
        tags: ['webhooks'],
        // It proves itself by its signature.
        security: [],
        parameters: [SIGNATURE],
        requestBody: { required: true, content: { 'application/json': { schema: Ref(schema) as Schema } } },
        responses: {
          '2XX': { description: 'The event is heard. The body of the answer means nothing.' },
          default: { description: 'The event is sent again later, up to 12 attempts in all.' },
        },
      };
      return [type, { post }];
    }),
  );
}
