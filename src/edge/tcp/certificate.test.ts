import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { certificateFolder, OTHER_CERTIFICATE } from './certificate.fixture.ts';
import { Certificate } from './certificate.ts';

test('files that do not belong together stop the start', () => {
  using files = certificateFolder();
  writeFileSync(files.keyPath, OTHER_CERTIFICATE.key);
  assert.throws(() => new Certificate(files, () => {}), /POSTHORN_TLS_CERT.*POSTHORN_TLS_KEY cannot be used/);
});
