import type { GuardedClient } from '../net/guarded-client.ts';
import type { PostResult } from '../net/http-exchange.ts';
import { deliveryHeaders } from './sign.ts';

/** docs/contract.md, Deliveries 1. */
export const ANSWER_TIMEOUT_MS = 10_000;

/** One attempt: POSTs the payload of an event, signed as of this moment. Rejects for nothing that the receiver does. */
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
