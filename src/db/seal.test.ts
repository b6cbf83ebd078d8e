import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { testDatabase } from '../../test/support/postgres.ts';
import { StartupError } from '../model/startup-error.ts';
import { checkSecret, Sealer } from './seal.ts';

const SALT = Buffer.alloc(16, 1);
const sealer = await Sealer.create('correct horse battery staple', SALT);

const flip = (text: string, at: number) => {
  const changed = Buffer.from(text, 'base64url');
  changed[at >> 3] = (changed[at >> 3] ?? 0) ^ (1 << (at & 7));
  return changed.toString('base64url');
};

describe('a sealed value', () => {
  test('a sealed value opens in the context in which it was sealed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), (bytes, context) => {
        const plain = Buffer.from(bytes);
        assert.deepEqual(sealer.open(sealer.seal(plain, context), context), plain);
      }),
    );
  });

  test('a sealed value contains its format and key id, and sealing twice gives different values', () => {
    const sealed = sealer.seal(Buffer.from('secret'), 'a');
    assert.match(sealed, /^v1\.[0-9a-f]{8}\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]{30}$/);
    assert.notEqual(sealer.seal(Buffer.from('secret'), 'a'), sealed);
  });

  test('a sealed value does not open in another context', () => {
    assert.throws(
      () => sealer.open(sealer.seal(Buffer.from('secret'), 'row 1'), 'row 2'),
      /row 2: .*another context/,
    );
  });

  test('a sealed value does not open with another secret or salt, and the error names POSTHORN_SECRET', async () => {
    const sealed = sealer.seal(Buffer.from('secret'), 'a');
    for (const other of [
      await Sealer.create('correct horse battery stapler', SALT),
      await Sealer.create('correct horse battery staple', Buffer.alloc(16, 2)),
    ]) {
      assert.throws(() => other.open(sealed, 'a'), /sealed with the key .* POSTHORN_SECRET gives/);
    }
  });

  test('a sealed value opens with the same secret and salt in another process', async () => {
    const twin = await Sealer.create('correct horse battery staple', SALT);
    assert.equal(twin.open(sealer.seal(Buffer.from('secret'), 'a'), 'a').toString(), 'secret');
  });

  test('a sealed value does not open if a bit was changed', () => {
    const [version, keyId, nonce = '', bytes = ''] = sealer.seal(Buffer.from('secret'), 'a').split('.');
    for (let at = 0; at < 12 * 8; at++) {
      assert.throws(
        () => sealer.open([version, keyId, flip(nonce, at), bytes].join('.'), 'a'),
        /was changed/,
      );
    }
    for (let at = 0; at < 22 * 8; at++) {
      assert.throws(
        () => sealer.open([version, keyId, nonce, flip(bytes, at)].join('.'), 'a'),
        /was changed/,
      );
    }
  });

  test('a truncated or malformed sealed value is rejected', () => {
    const sealed = sealer.seal(Buffer.from('secret'), 'a');
    const [version, keyId, nonce] = sealed.split('.');
    const wrong = [
      '',
      'v1',
      'v1...',
      `v2${sealed.slice(2)}`,
      `${sealed}.x`,
      `${version}.${keyId}.${nonce}.AAAA`,
    ];
    for (const text of wrong) assert.throws(() => sealer.open(text, 'a'), /a: not a sealed value/, text);
  });
});

test('a derived key depends only on the secret and the label', async () => {
  const keyOf = (from: Sealer, label: string) => from.deriveKey(label).export().toString('hex');
  const twin = await Sealer.create('correct horse battery staple', SALT);
  const other = await Sealer.create('another secret', SALT);
  assert.equal(keyOf(twin, 'one'), keyOf(sealer, 'one'));
  assert.equal(new Set([keyOf(sealer, 'one'), keyOf(sealer, 'two'), keyOf(other, 'one')]).size, 3);
});

describe('the secret of a database', () => {
  test('the first start sets the secret of the database', async () => {
    await using db = await testDatabase();
    const first = await checkSecret(db.database, 'a secret of the first start');
    const second = await checkSecret(db.database, 'a secret of the first start');
    assert.equal(second.open(first.seal(Buffer.from('key'), 'a'), 'a').toString(), 'key');
  });

  test('a start with another secret fails, and the error names POSTHORN_SECRET', async () => {
    await using db = await testDatabase();
    await checkSecret(db.database, 'a secret of the first start');
    await assert.rejects(checkSecret(db.database, 'some other secret'), (error) => {
      assert.ok(error instanceof StartupError);
      assert.match(error.message, /^POSTHORN_SECRET does not match the one this database was sealed with/);
      return true;
    });
  });

  test('concurrent first starts with the same secret get the same key', async () => {
    await using db = await testDatabase();
    const starts = await Promise.all(
      Array.from({ length: 4 }, () => checkSecret(db.database, 'the secret of them all')),
    );
    assert.equal(new Set(starts.map(({ keyId }) => keyId)).size, 1);
  });

  test('of concurrent first starts with different secrets, exactly one succeeds', async () => {
    await using db = await testDatabase();
    const starts = await Promise.allSettled(
      ['secret number one', 'secret number two', 'secret number three'].map((secret) =>
        checkSecret(db.database, secret),
      ),
    );
    assert.equal(starts.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  test('the same secret gives different keys in different databases', async () => {
    await using one = await testDatabase();
    await using two = await testDatabase();
    const first = await checkSecret(one.database, 'the same secret twice');
    const second = await checkSecret(two.database, 'the same secret twice');
    assert.notEqual(first.keyId, second.keyId);
  });
});
