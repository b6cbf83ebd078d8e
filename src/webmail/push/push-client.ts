/** Sends one notification to the push service of a browser (RFC 8030). */
import { hash } from 'node:crypto';
import type { PushMessage } from '../../contract/mail/push.ts';
import * as clock from '../../model/clock.ts';
import type { GuardedClient } from '../../net/guarded-client.ts';
import { readRetryAfter } from '../../rfc/acme/responses.ts';
import { encryptPush } from '../../rfc/web-push/encrypt-push.ts';
import { type VapidPair, vapidHeader } from '../../rfc/web-push/vapid.ts';
import type { PushTarget } from './push-target.ts';
import { TIMINGS } from './timings.ts';

/** All notifications have this size, so that the push service cannot tell them apart. The longest has about 1,600 bytes. */
const PADDED_BYTES = 2_048;
/** RFC 8030, section 5.4. */
const MAX_TOPIC_LENGTH = 32;

export type PushOutcome =
  | { kind: 'sent' }
  /** The browser has unsubscribed, or the push service rejects the subscription or the request. */
  | { kind: 'ended'; error: string }
  /** @param retryAfterMs the pause that the push service asks for; 0 if it names none */
  | { kind: 'failed'; error: string; retryAfterMs: number };

export interface PushClientOptions {
  client: Pick<GuardedClient, 'post'>;
  /** The URL of the installation, at which push services find its operators. */
  subject(): string;
  /** Default: `TIMINGS`. */
  timings?: Pick<typeof TIMINGS, 'requestMs'>;
}

export async function sendPush(
  { client, subject, timings = TIMINGS }: PushClientOptions,
  key: VapidPair,
  { endpoint, ...keys }: PushTarget,
  message: PushMessage,
): Promise<PushOutcome> {
  const seconds = (ms: number) => Math.floor(ms / 1_000);
  const claims = {
    audience: new URL(endpoint).origin,
    subject: subject(),
    expiresAt: seconds(clock.nowMs() + TIMINGS.signedMs),
  };
  const { httpStatus, error, retryAfter } = await client.post(endpoint, {
    headers: {
      authorization: vapidHeader(key, claims),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: String(seconds(TIMINGS.storedMs)),
      // Of several notifications that wait for a browser, the push service delivers only the last one.
      topic: hash('sha256', message.mailbox, 'base64url').slice(0, MAX_TOPIC_LENGTH),
      urgency: 'normal',
    },
    body: encryptPush(Buffer.from(JSON.stringify(message)), keys, PADDED_BYTES),
    timeoutMs: timings.requestMs,
  });
  if (httpStatus === null) return { kind: 'failed', error: error ?? 'no response', retryAfterMs: 0 };
  if (httpStatus >= 200 && httpStatus < 300) return { kind: 'sent' };
  const status = `the push service responded with the status ${httpStatus}`;
  if (httpStatus >= 400 && httpStatus < 500 && httpStatus !== 408 && httpStatus !== 429)
    return { kind: 'ended', error: status };
  const retryAfterMs = readRetryAfter(retryAfter ?? undefined, Date.now()) ?? 0;
  return { kind: 'failed', error: status, retryAfterMs };
}
