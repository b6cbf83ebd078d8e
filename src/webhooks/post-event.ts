/** One delivery attempt, and its signature (docs/contract.md, Signatures). */
import { createHmac } from 'node:crypto';
import type { GuardedClient } from '../net/guarded-client.ts';
import type { PostResult } from '../net/http-exchange.ts';
import * as clock from '../model/clock.ts';
import { type SigningSecrets, standardKey } from './secret.ts';

/** The time limit for a response (docs/contract.md, Deliveries 1). */
export const RESPONSE_TIMEOUT_MS = 10_000;

/** An event as a receiver gets it. Both members are the same at every attempt. */
export interface PostedEvent {
  /** The `id` in the body. */
  id: string;
  body: string | Uint8Array;
}

/** Makes one attempt: POSTs an event with fresh signatures. Never rejects because of the receiver. */
export function postEvent(
  client: Pick<GuardedClient, 'post'>,
  url: string,
  secrets: SigningSecrets,
  event: PostedEvent,
): Promise<PostResult> {
  return client.post(url, {
    headers: deliveryHeaders(secrets, event, Math.floor(clock.nowMs() / 1_000)),
    body: event.body,
    timeoutMs: RESPONSE_TIMEOUT_MS,
  });
}

/**
 * The value of X-Mail-Signature: `t=<unix seconds>,v1=<hex>`, the HMAC-SHA256 of `<unix seconds>.<body>`. The key is the whole secret as
 * it was shown.
 */
export function signatureHeader(secret: string, body: string | Uint8Array, unixSeconds: number): string {
  const v1 = createHmac('sha256', secret).update(`${unixSeconds}.`).update(body).digest('hex');
  return `t=${unixSeconds},v1=${v1}`;
}

/** The headers of one attempt (docs/contract.md, Signatures). */
export function deliveryHeaders(
  { current, next }: SigningSecrets,
  { id, body }: PostedEvent,
  unixSeconds: number,
): Record<string, string> {
  const standard = [current, next].flatMap((secret) => {
    const key = secret === null ? null : standardKey(secret);
    return key === null
      ? []
      : [`v1,${createHmac('sha256', key).update(`${id}.${unixSeconds}.`).update(body).digest('base64')}`];
  });
  return {
    'content-type': 'application/json',
    'user-agent': 'Service-Webhooks/1.0',
    'x-mail-signature': signatureHeader(current, body, unixSeconds),
    ...(next === null ? {} : { 'x-mail-signature-next': signatureHeader(next, body, unixSeconds) }),
    'webhook-id': id,
    'webhook-timestamp': String(unixSeconds),
    ...(standard.length === 0 ? {} : { 'webhook-signature': standard.join(' ') }),
  };
}
