/** Deliveries of webhooks, checked (docs/contract.md, Signatures). */
import { jsonOf } from './errors.ts';
import type { WebhookEvent } from './generated.ts';

/**
 * - `malformed-header`: a header is missing, or not `t=<seconds>,v1=<hex>`
 * - `timestamp-out-of-tolerance`: made too long ago, or the clocks differ: perhaps a delivery that somebody recorded
 * - `signature-mismatch`: another secret, or the body is not byte for byte what was sent
 * - `malformed-body`: signed, but no event
 */
export type WebhookVerificationReason =
  | 'malformed-header'
  | 'timestamp-out-of-tolerance'
  | 'signature-mismatch'
  | 'malformed-body';

/** The delivery is not to be believed: answer 400 and do nothing. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly reason: WebhookVerificationReason;

  constructor(reason: WebhookVerificationReason) {
    super(`The webhook delivery is not authentic: ${reason}`);
    this.reason = reason;
  }
}

export interface VerifyWebhookOptions {
  /**
   * `X-Mail-Signature-Next`, which deliveries have while a secret is rotated. It is looked at where the first header does not
   * fit the secret.
   */
  next?: string | null | undefined;
  /** How far the timestamp may be from now, either way; default 300. */
  toleranceSeconds?: number | undefined;
  /** Used instead of the current time. */
  now?: Date | undefined;
}

const DEFAULT_TOLERANCE_SECONDS = 300;
/** Bounds the work on a header that anybody may send. */
const MAX_HEADER_LENGTH = 1_024;

/**
 * The event of a delivery that this secret signed.
 * @param rawBody as it arrived: parsed and written again it is another
 * @param header `X-Mail-Signature`
 * @param secret `whsec_...`, whole
 * @throws WebhookVerificationError with the reason
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  header: string | null | undefined,
  secret: string,
  { next, toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, now = new Date() }: VerifyWebhookOptions = {},
): Promise<WebhookEvent> {
  if (secret === '') throw new TypeError('the secret is empty');
  const encoder = new TextEncoder();
  const body = typeof rawBody === 'string' ? encoder.encode(rawBody) : rawBody;
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['verify']);
  const fits = async (text: string): Promise<boolean> => {
    const { timestamp, signature } = parseHeader(text);
    // Written so that a time which is not a number is refused too.
    if (!(Math.abs(now.getTime() / 1_000 - Number(timestamp)) <= toleranceSeconds))
      throw new WebhookVerificationError('timestamp-out-of-tolerance');
    // verify compares in constant time.
    return crypto.subtle.verify('HMAC', key, signature, concat(encoder.encode(`${timestamp}.`), body));
  };
  const isGenuine = (await fits(header ?? '')) || (typeof next === 'string' && (await fits(next)));
  if (!isGenuine) throw new WebhookVerificationError('signature-mismatch');

  const event = jsonOf(new TextDecoder().decode(body)) as WebhookEvent | null | undefined;
  if (typeof event !== 'object' || event === null || typeof event.type !== 'string')
    throw new WebhookVerificationError('malformed-body');
  return event;
}

/** Skips other schemes than v1: a later one may stand beside it. */
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
