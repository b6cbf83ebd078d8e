/** Requests to an ACME server, signed (RFC 8555, section 6.2). */
import { createPublicKey, hash, type KeyObject, sign } from 'node:crypto';

export interface SignedFor {
  url: string;
  nonce: string;
  /** URL of the account; null: it is not known yet, and the key stands in the request. */
  account: string | null;
}

/** @param key of an account: P-256 @param payload null: POST-as-GET (section 6.3) */
export function signedRequest(
  key: KeyObject,
  { url, nonce, account }: SignedFor,
  payload: object | null,
): string {
  const who = account === null ? { jwk: publicJwk(key) } : { kid: account };
  const parts = {
    protected: base64url(JSON.stringify({ alg: 'ES256', ...who, nonce, url })),
    payload: payload === null ? '' : base64url(JSON.stringify(payload)),
  };
  const signature = sign('sha256', Buffer.from(`${parts.protected}.${parts.payload}`), {
    key,
    dsaEncoding: 'ieee-p1363',
  });
  return JSON.stringify({ ...parts, signature: signature.toString('base64url') });
}

/** What proves to the server that the owner of the account's key answers a challenge (section 8.1). */
export function keyAuthorization(key: KeyObject, token: string): string {
  // The members in this order, without spaces (RFC 7638, section 3).
  return `${token}.${hash('sha256', JSON.stringify(publicJwk(key)), 'base64url')}`;
}

function publicJwk(key: KeyObject): { crv: unknown; kty: unknown; x: unknown; y: unknown } {
  const { crv, kty, x, y } = createPublicKey(key).export({ format: 'jwk' });
  return { crv, kty, x, y };
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
