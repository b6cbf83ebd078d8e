/** Signs requests to an ACME server (RFC 8555, section 6.2). */
import { createPublicKey, hash, type KeyObject, sign } from 'node:crypto';

export interface SignedFor {
  url: string;
  nonce: string;
  /** The URL of the account. Null if the URL is not known yet; the request then contains the account key. */
  account: string | null;
}

/** Signs a request. @param key the P-256 key of the account @param payload null for POST-as-GET (RFC 8555, section 6.3) */
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

/** The key authorization of a challenge, which proves control of the account key (RFC 8555, section 8.1). */
export function keyAuthorization(key: KeyObject, token: string): string {
  // The thumbprint requires this order of members, without spaces (RFC 7638, section 3).
  return `${token}.${hash('sha256', JSON.stringify(publicJwk(key)), 'base64url')}`;
}

function publicJwk(key: KeyObject): { crv: unknown; kty: unknown; x: unknown; y: unknown } {
  const { crv, kty, x, y } = createPublicKey(key).export({ format: 'jwk' });
  return { crv, kty, x, y };
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
