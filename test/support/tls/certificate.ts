import { readFileSync } from 'node:fs';

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

/**
 * A self-signed certificate for localhost, relay.example, mx.example, 127.0.0.1 and ::1, valid from 2020 to 2120.
 * Its key is public: it protects nothing.
 */
export const testCertificate = { cert: read('cert.pem'), key: read('key.pem') };

/** The same for localhost and mx.example, valid in January 2020. */
export const expiredCertificate = { cert: read('expired.pem'), key: testCertificate.key };

/** The same for hosts directly below dst.test and sts.test, valid as the first. */
export const stsCertificate = { cert: read('sts.pem'), key: testCertificate.key };

/** An RSA key and its self-signed certificate, with which the test server of SNS signs. Valid as the first. */
export const snsCertificate = { cert: read('sns.pem'), key: read('sns-key.pem') };

/** The same key, valid in January 2020. */
export const expiredSnsCertificate = { cert: read('sns-expired.pem'), key: snsCertificate.key };
