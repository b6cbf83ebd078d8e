import { createHmac, timingSafeEqual } from 'node:crypto';

const TOLERANCE_SECONDS = 300;

/**
 * Returns whether a delivery comes from Posthorn and is recent.
 * @param secret the whole secret, `whsec_` included
 * @param signature the header X-Mail-Signature
 * @param body the bytes of the request as they arrived; parse them afterwards
 */
export function verifyWebhook(
  secret: string,
  signature: string,
  body: Uint8Array,
  nowSeconds = Date.now() / 1000,
): boolean {
  let timestamp = '';
  let given = '';
  for (const part of signature.split(',')) {
    if (part.startsWith('t=')) timestamp = part.slice(2);
    if (part.startsWith('v1=')) given = part.slice(3);
  }
  if (!/^[0-9]{1,12}$/.test(timestamp)) return false;
  if (Math.abs(nowSeconds - Number(timestamp)) > TOLERANCE_SECONDS) return false;

  const hex = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  const [expected, candidate] = [Buffer.from(hex), Buffer.from(given)];
  return candidate.length === expected.length && timingSafeEqual(candidate, expected);
}
