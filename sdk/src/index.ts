export type { PosthornOptions } from './call.ts';
export { Posthorn } from './client.ts';
export { PosthornError, type ProblemType } from './errors.ts';
export type * from './generated.ts';
export type { CallOptions, SendOptions } from './request.ts';
export {
  type VerifyWebhookOptions,
  verifyRouteMessage,
  verifyWebhook,
  WebhookVerificationError,
  type WebhookVerificationReason,
} from './webhook.ts';
