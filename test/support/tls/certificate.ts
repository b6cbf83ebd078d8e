import { readFileSync } from 'node:fs';

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

/**
 * A self-signed certificate for localhost, relay.example, mx.example, 127.0.0.1 and ::1, valid from 2020 to 2120.
 * The private key is public, so the certificate protects nothing.
 */
export const testCertificate = { cert: read('cert.pem'), key: read('key.pem') };

/** A self-signed certificate for localhost and mx.example, valid only in January 2020. */
export const expiredCertificate = { cert: read('expired.pem'), key: testCertificate.key };

/** A self-signed certificate for hosts directly below dst.test and sts.test, valid from 2020 to 2120. */
export const stsCertificate = { cert: read('sts.pem'), key: testCertificate.key };

/** The RSA key with which the SNS test server signs, and the key's self-signed certificate, valid from 2020 to 2120. */
export const snsCertificate = { cert: read('sns.pem'), key: read('sns-key.pem') };

/** A certificate for the same RSA key, valid only in January 2020. */
export const expiredSnsCertificate = { cert: read('sns-expired.pem'), key: snsCertificate.key };
