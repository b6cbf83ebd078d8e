/** Signs requests to an ACME server (RFC 8555, section 6.2). */
import { createPublicKey, hash, type KeyObject, sign } from 'node:crypto';

export interface SignedFor {
  url: string;
  nonce: string;
  /** The URL of the account. Null if the URL is not known yet. The request then contains the account's key instead. */
  account: string | null;
}

/** @param key the account's P-256 key @param payload null for POST-as-GET (section 6.3) */
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

/** The key authorization of a challenge. It proves that the response comes from the owner of the account's key (section 8.1). */
export function keyAuthorization(key: KeyObject, token: string): string {
  // RFC 7638, section 3 requires this order of members, without spaces.
  return `${token}.${hash('sha256', JSON.stringify(publicJwk(key)), 'base64url')}`;
}

function publicJwk(key: KeyObject): { crv: unknown; kty: unknown; x: unknown; y: unknown } {
  const { crv, kty, x, y } = createPublicKey(key).export({ format: 'jwk' });
  return { crv, kty, x, y };
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
