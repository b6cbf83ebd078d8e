import { readFileSync } from 'node:fs';

/**
 * A self-signed certificate for localhost, relay.example, mx.example, 127.0.0.1 and ::1, valid from 2020 to 2120.
 * Its key is public: it protects nothing.
 */
export const testCertificate = {
  cert: readFileSync(new URL('cert.pem', import.meta.url), 'utf8'),
  key: readFileSync(new URL('key.pem', import.meta.url), 'utf8'),
};
