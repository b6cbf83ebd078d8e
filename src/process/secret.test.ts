import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, suite, test } from 'node:test';
import { StartupError } from '../model/startup-error.ts';
import { secretOfFolder } from './secret.ts';

suite('secretOfFolder', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'posthorn-secret-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('creates a secret of 256 bits once, in a file that only its owner can read', () => {
    const secret = secretOfFolder(folder);
    assert.equal(Buffer.from(secret, 'base64').length, 32);
    assert.equal(secretOfFolder(folder), secret);
    assert.equal(statSync(join(folder, 'secret')).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder), ['secret']);
  });

  test('creates different secrets in different folders', () => {
    const secret = secretOfFolder(folder);
    rmSync(join(folder, 'secret'));
    assert.notEqual(secretOfFolder(folder), secret);
  });

  test('throws an error with the file name if the file cannot be read or created', () => {
    writeFileSync(join(folder, 'file'), '');
    assert.throws(
      () => secretOfFolder(join(folder, 'file')),
      (error) => error instanceof StartupError && error.message.includes(join(folder, 'file/secret')),
    );
  });
});
