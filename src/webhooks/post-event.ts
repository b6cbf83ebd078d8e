/** One delivery attempt, and its signature (docs/contract.md, Signatures). */
import { createHmac } from 'node:crypto';
import type { GuardedClient } from '../net/guarded-client.ts';
import type { PostResult } from '../net/http-exchange.ts';
import * as clock from '../model/clock.ts';
import type { SigningSecrets } from './secret.ts';

/** The time limit for a response (docs/contract.md, Deliveries 1). */
export const RESPONSE_TIMEOUT_MS = 10_000;

/** Makes one attempt: POSTs the body of an event with a fresh signature. Never rejects because of the receiver. */
export function postEvent(
  client: Pick<GuardedClient, 'post'>,
  url: string,
  secrets: SigningSecrets,
  body: string,
): Promise<PostResult> {
  return client.post(url, {
    headers: deliveryHeaders(secrets, body, Math.floor(clock.nowMs() / 1_000)),
    body,
    timeoutMs: RESPONSE_TIMEOUT_MS,
  });
}

/**
 * The value of X-Mail-Signature: `t=<unix seconds>,v1=<hex>`, the HMAC-SHA256 of `<unix seconds>.<body>`. The key is the whole secret as
 * it was shown.
 */
export function signatureHeader(secret: string, body: string, unixSeconds: number): string {
  const v1 = createHmac('sha256', secret).update(`${unixSeconds}.${body}`).digest('hex');
  return `t=${unixSeconds},v1=${v1}`;
}

/** The headers of one attempt (docs/contract.md, Signatures). */
export function deliveryHeaders(
  { current, next }: SigningSecrets,
  body: string,
  unixSeconds: number,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'Service-Webhooks/1.0',
    'x-mail-signature': signatureHeader(current, body, unixSeconds),
    ...(next === null ? {} : { 'x-mail-signature-next': signatureHeader(next, body, unixSeconds) }),
  };
}
