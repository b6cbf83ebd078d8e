/** Verification of deliveries of webhooks and routes (docs/contract.md, Signatures). */
import { jsonOf } from './errors.ts';
import type { RouteMessage, WebhookEvent } from './generated.ts';

/**
 * The reasons for rejecting a delivery:
 * - `malformed-header`: a header is missing, or does not have the form `t=<seconds>,v1=<hex>`
 * - `timestamp-out-of-tolerance`: the delivery is too old (possibly a replay of a recorded delivery), or the clocks differ
 * - `signature-mismatch`: the secret is wrong, or the body differs from the sent body in at least one byte
 * - `malformed-body`: the signature is valid, but the body is not an event, or not a message in the JSON format
 */
export type WebhookVerificationReason =
  | 'malformed-header'
  | 'timestamp-out-of-tolerance'
  | 'signature-mismatch'
  | 'malformed-body';

/** The delivery is not authentic: respond with 400, and do not process the delivery. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly reason: WebhookVerificationReason;

  constructor(reason: WebhookVerificationReason) {
    super(`The webhook delivery is not authentic: ${reason}`);
    this.reason = reason;
  }
}

export interface VerifyWebhookOptions {
  /** The header `X-Mail-Signature-Next`, which deliveries have while a secret is rotated. Checked if `header` does not match the secret. */
  next?: string | null | undefined;
  /** The maximum difference between the timestamp and the current time, in seconds, in both directions. Default: 300. */
  toleranceSeconds?: number | undefined;
  /** Replaces the current time. */
  now?: Date | undefined;
}

const DEFAULT_TOLERANCE_SECONDS = 300;
/** The maximum length of a header. Attack: anyone can send a long header to cause work. */
const MAX_HEADER_LENGTH = 1_024;

/**
 * Verifies a delivery and returns its event.
 * @param rawBody the body as received. Do not parse and serialize the body again, because that can change bytes
 * @param header the header `X-Mail-Signature`
 * @param secret the whole secret, `whsec_...`
 * @throws WebhookVerificationError with the reason
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  header: string | null | undefined,
  secret: string,
  options: VerifyWebhookOptions = {},
): Promise<WebhookEvent> {
  return (await verifiedBody(rawBody, header, secret, options)) as WebhookEvent;
}

/**
 * Verifies a request of a route with the format `json`, and returns its message.
 * @param rawBody the body as received. Do not parse and serialize the body again, because that can change bytes
 * @param header the header `X-Mail-Signature`
 * @param secret the whole secret of the route, `whsec_...`
 * @throws WebhookVerificationError with the reason
 */
export async function verifyRouteMessage(
  rawBody: string | Uint8Array,
  header: string | null | undefined,
  secret: string,
  options: VerifyWebhookOptions = {},
): Promise<RouteMessage> {
  const message = await verifiedBody(rawBody, header, secret, options);
  if (message.type !== 'message.received') throw new WebhookVerificationError('malformed-body');
  return message as RouteMessage;
}

async function verifiedBody(
  rawBody: string | Uint8Array,
  header: string | null | undefined,
  secret: string,
  { next, toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, now = new Date() }: VerifyWebhookOptions,
): Promise<{ type: string }> {
  if (secret === '') throw new TypeError('The secret is empty');
  const encoder = new TextEncoder();
  const body = typeof rawBody === 'string' ? encoder.encode(rawBody) : rawBody;
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['verify']);
  const fits = async (text: string): Promise<boolean> => {
    const { timestamp, signature } = parseHeader(text);
    // The negation also rejects a timestamp that is not a number: comparisons with NaN are false.
    if (!(Math.abs(now.getTime() / 1_000 - Number(timestamp)) <= toleranceSeconds))
      throw new WebhookVerificationError('timestamp-out-of-tolerance');
    // `crypto.subtle.verify` compares in constant time.
    return crypto.subtle.verify('HMAC', key, signature, concat(encoder.encode(`${timestamp}.`), body));
  };
  const isGenuine = (await fits(header ?? '')) || (typeof next === 'string' && (await fits(next)));
  if (!isGenuine) throw new WebhookVerificationError('signature-mismatch');

  const content = jsonOf(new TextDecoder().decode(body)) as { type?: unknown } | null | undefined;
  if (typeof content !== 'object' || content === null || typeof content.type !== 'string')
    throw new WebhookVerificationError('malformed-body');
  return content as { type: string };
}

/** Parses a header. Signatures of schemes other than v1 are skipped, because newer schemes may be added. */
function parseHeader(header: string) {
  const timestamps: string[] = [];
  const signatures: Uint8Array<ArrayBuffer>[] = [];
  if (header.length <= MAX_HEADER_LENGTH) {
    for (const part of header.split(',')) {
      const [name, value = ''] = part.trim().split('=');
      if (name === 't' && /^\d{1,12}$/.test(value)) timestamps.push(value);
      if (name === 'v1' && /^[0-9a-f]{64}$/i.test(value)) signatures.push(fromHex(value));
    }
  }
  const [timestamp] = timestamps;
  const [signature] = signatures;
  if (timestamp === undefined || signature === undefined || timestamps.length > 1 || signatures.length > 1)
    throw new WebhookVerificationError('malformed-header');
  return { timestamp, signature };
}

function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hex.length / 2);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16);
  return bytes;
}

function concat(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(head.length + tail.length);
  both.set(head);
  both.set(tail, head.length);
  return both;
}
