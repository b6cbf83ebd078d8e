import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Sealer } from '../db/seal.ts';
import { newUuid } from '../model/ids.ts';
import { newSecret, openSecrets, sealSecret, standardKey } from './secret.ts';

const sealer = await Sealer.create('secret of the tests', Buffer.alloc(16));
const id = newUuid();
const now = new Date('2026-11-20T15:04:05.123Z');
const row = {
  id,
  secretSealed: sealSecret(sealer, id, 'whsec_new'),
  previousSecretSealed: sealSecret(sealer, id, 'whsec_old'),
};

test('a secret is whsec_ and 48 random bytes in base64, which are the key of Standard Webhooks', () => {
  const secret = newSecret();
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{64}$/);
  assert.notEqual(secret, newSecret());
  const key = standardKey(secret);
  assert.equal(key?.length, 48);
  assert.equal(`whsec_${key.toString('base64')}`, secret);
});

test('a secret of an earlier version is no key of Standard Webhooks', () => {
  for (const secret of ['', 'whsec_', `whsec_${'A'.repeat(43)}`, `whsec_${'A'.repeat(42)}-`, 'A'.repeat(64)])
    assert.equal(standardKey(secret), null, secret);
});

test('until the old secret expires, the old and the new secret both sign', () => {
  const until = (ms: number) => ({ ...row, previousSecretUntil: new Date(now.getTime() + ms) });
  const alone = { current: 'whsec_new', next: null };
  assert.deepEqual(openSecrets(sealer, until(1), now), { current: 'whsec_old', next: 'whsec_new' });
  assert.deepEqual(openSecrets(sealer, until(0), now), alone);
  assert.deepEqual(openSecrets(sealer, { ...row, previousSecretUntil: null }, now), alone);
  const never = { ...row, previousSecretSealed: null, previousSecretUntil: null };
  assert.deepEqual(openSecrets(sealer, never, now), alone);
});

test('a sealed secret does not open for another webhook', () => {
  const other = { ...row, id: newUuid(), previousSecretUntil: null };
  assert.throws(() => openSecrets(sealer, other, now), /was sealed for another context/);
});
