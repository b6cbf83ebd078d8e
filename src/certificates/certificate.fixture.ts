/** Certificates for tests, as text and in files. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testCertificate } from '../../test/support/tls/certificate.ts';

/** A self-signed certificate for renewed.example. The private key is public, so the certificate protects nothing. */
export const OTHER_CERTIFICATE = {
  key: `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIPKlnhqI7gjWVr6+zT1k48PtoH26Tq+jb6L32hbD703m
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBSjCB/aADAgECAhR78ZihT502C8zKYGwY03ssQozxhTAFBgMrZXAwGjEYMBYG
A1UEAwwPcmVuZXdlZC5leGFtcGxlMCAXDTI2MTEyMTEyMzcxNFoYDzIxMjYxMDI4
MTIzNzE0WjAaMRgwFgYDVQQDDA9yZW5ld2VkLmV4YW1wbGUwKjAFBgMrZXADIQC/
WaaApiK+qPbnrG+BYq0azFAeTFepGvpjrd7GQiNap6NTMFEwHQYDVR0OBBYEFIJi
tiJTifVDjAHLZ04UKkmc2cHUMB8GA1UdIwQYMBaAFIJitiJTifVDjAHLZ04UKkmc
2cHUMA8GA1UdEwEB/wQFMAMBAf8wBQYDK2VwA0EAB4r9gZcj+/eGIDqnf7+n5aUQ
HHqkNutuepAmkSolv2qzcE4lJ8pSTmfOaWULr0NiuMP792nMwfdJvntQuSVcCg==
-----END CERTIFICATE-----
`,
};

/** A folder with `testCertificate`, removed on disposal. */
export function certificateFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-certificate-'));
  const files = { certPath: join(folder, 'cert.pem'), keyPath: join(folder, 'key.pem') };
  writeFileSync(files.certPath, testCertificate.cert);
  writeFileSync(files.keyPath, testCertificate.key);
  return { ...files, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}
