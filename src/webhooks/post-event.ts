import type { GuardedClient } from '../net/guarded-client.ts';
import type { PostResult } from '../net/http-exchange.ts';
import { deliveryHeaders } from './sign.ts';

/** docs/contract.md, Deliveries 1. */
export const ANSWER_TIMEOUT_MS = 10_000;

/** One attempt: POSTs the body of an event, signed at this moment. Never rejects because of the receiver. */
export function postEvent(
  client: Pick<GuardedClient, 'post'>,
  url: string,
  secrets: readonly string[],
  body: string,
): Promise<PostResult> {
  return client.post(url, {
    headers: deliveryHeaders(secrets, body, Math.floor(Date.now() / 1_000)),
    body,
    timeoutMs: ANSWER_TIMEOUT_MS,
  });
}
