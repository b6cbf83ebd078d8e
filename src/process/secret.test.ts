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

  test('creates 256 bits once, readable only by their owner', () => {
    const secret = secretOfFolder(folder);
    assert.equal(Buffer.from(secret, 'base64').length, 32);
    assert.equal(secretOfFolder(folder), secret);
    assert.equal(statSync(join(folder, 'secret')).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder), ['secret']);
  });

  test('differs between folders', () => {
    const secret = secretOfFolder(folder);
    rmSync(join(folder, 'secret'));
    assert.notEqual(secretOfFolder(folder), secret);
  });

  test('fails with the file name if the file cannot be read or created', () => {
    writeFileSync(join(folder, 'file'), '');
    assert.throws(
      () => secretOfFolder(join(folder, 'file')),
      (error) => error instanceof StartupError && error.message.includes(join(folder, 'file/secret')),
    );
  });
});
