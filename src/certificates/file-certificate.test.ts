import assert from 'node:assert/strict';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { certificateFolder, OTHER_CERTIFICATE } from './certificate.fixture.ts';
import { FileCertificate } from './file-certificate.ts';

test('a key that does not match the certificate fails the start', () => {
  using files = certificateFolder();
  writeFileSync(files.keyPath, OTHER_CERTIFICATE.key);
  assert.throws(
    () => new FileCertificate(files, () => {}),
    /POSTHORN_TLS_CERT.*POSTHORN_TLS_KEY cannot be used/,
  );
});

test('certificate files that become unreadable are reported once, and the previous certificate stays in use', () => {
  using files = certificateFolder();
  const faults: unknown[] = [];
  const certificate = new FileCertificate(files, (error) => faults.push(error));
  const first = certificate.secureContext();
  rmSync(files.certPath);
  symlinkSync(files.certPath, files.certPath);
  for (let handshake = 0; handshake < 3; handshake += 1) assert.equal(certificate.secureContext(), first);
  assert.equal((faults as { code: string }[]).map(({ code }) => code).join(), 'ELOOP');
});
