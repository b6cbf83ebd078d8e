import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Sealer } from '../db/seal.ts';
import { newUuid } from '../model/ids.ts';
import { newSecret, openSecrets, sealSecret } from './secret.ts';

const sealer = await Sealer.create('secret of the tests', Buffer.alloc(16));
const id = newUuid();
const now = new Date('2026-11-20T15:04:05.123Z');
const row = {
  id,
  secretSealed: sealSecret(sealer, id, 'whsec_new'),
  previousSecretSealed: sealSecret(sealer, id, 'whsec_old'),
};

test('a secret is whsec_ and 256 random bits', () => {
  const secret = newSecret();
  assert.match(secret, /^whsec_[A-Za-z0-9_-]{43}$/);
  assert.notEqual(secret, newSecret());
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
