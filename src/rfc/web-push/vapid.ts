/** Identifies this installation to push services (RFC 8292). */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A pair of keys. Browsers get the public key, and accept only messages that are signed with the private key. */
export interface VapidPair {
  privateKey: KeyObject;
  /** An uncompressed point in base64url. */
  publicKey: string;
}

export function newVapidKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

export function vapidPairOf(privateKey: KeyObject): VapidPair {
  const { x = '', y = '' } = privateKey.export({ format: 'jwk' });
  const point = [Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
  return { privateKey, publicKey: Buffer.concat(point).toString('base64url') };
}

export interface VapidClaims {
  /** The origin of the push service. A signature for one service is worthless to another. */
  audience: string;
  /** Where the push service can reach the operators: a URL. */
  subject: string;
  /** In seconds since 1970, at most a day ahead. */
  expiresAt: number;
}

/** The value of `Authorization`. */
export function vapidHeader(
  { privateKey, publicKey }: VapidPair,
  { audience, subject, expiresAt }: VapidClaims,
): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = `${part({ typ: 'JWT', alg: 'ES256' })}.${part({ aud: audience, exp: expiresAt, sub: subject })}`;
  // JWTs have the two numbers of the signature one after the other (RFC 7518, section 3.4).
  const signature = sign('sha256', Buffer.from(claims), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `vapid t=${claims}.${signature.toString('base64url')}, k=${publicKey}`;
}
