/** The key record, which DNS publishes as a TXT record at `<selector>._domainkey.<domain>` (RFC 6376, section 3.6.1). */
import type { KeyObject } from 'node:crypto';
import type { DkimAlgorithm } from './signature-field.ts';

/** The value of p= in base64. RSA: SubjectPublicKeyInfo in DER (RFC 6376, erratum 3017). Ed25519: the 32 bytes (RFC 8463, section 4.2). */
export function encodePublicKey(publicKey: KeyObject): string {
  if (publicKey.asymmetricKeyType === 'rsa') {
    return publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  }
  const { x } = publicKey.export({ format: 'jwk' });
  return Buffer.from(x ?? '', 'base64url').toString('base64');
}

/** The text of the record. In DNS, the text must be split into strings of at most 255 octets. */
export function dkimRecord(algorithm: DkimAlgorithm, publicKey: string): string {
  return `v=DKIM1; k=${algorithm === 'rsa-sha256' ? 'rsa' : 'ed25519'}; p=${publicKey}`;
}
