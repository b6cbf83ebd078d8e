import assert from 'node:assert/strict';
import { argon2Sync } from 'node:crypto';
import { test } from 'node:test';
import { AppError } from '../../model/app-error.ts';
import { generatePassword, hashPassword, passwordFault } from './password.ts';
import { verifyPassword } from './verify-password.ts';

test('a hash is argon2id in PHC form with its own salt, and takes two passes over 19 MiB', async () => {
  const [one, two] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.notEqual(one, two);
  const [, , , , salt = '', hash = ''] = one.split('$');
  const derived = argon2Sync('argon2id', {
    message: 'correct horse',
    nonce: Buffer.from(salt, 'base64'),
    memory: 19_456,
    passes: 2,
    parallelism: 1,
    tagLength: 32,
  });
  assert.equal(derived.toString('base64').replace('=', ''), hash);
});

test('the right password matches a hash, and a wrong password does not', async () => {
  const phc = await hashPassword('pässwörd 😀 long');
  assert.equal(verifyPassword('pässwörd 😀 long', phc), true);
  assert.equal(verifyPassword('pässwörd 😀 lonG', phc), false);
  assert.equal(verifyPassword('', phc), false);
});

test('a password matches its hash in every Unicode form of its characters', async () => {
  const phc = await hashPassword('pa\u0308sswo\u0308rd\u00a0twelve');
  assert.equal(verifyPassword('p\u00e4ssw\u00f6rd twelve', phc), true);
});

test('a password matches a hash that another program made with different cost parameters', () => {
  // The test vector of the reference implementation: argon2 -id -t 2 -m 16 -p 1.
  const phc = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
  assert.equal(verifyPassword('password', phc), true);
  assert.equal(verifyPassword('passwore', phc), false);
});

test('no password matches if no password is set', () => {
  assert.equal(verifyPassword('whatever it is', null), false);
});

test('a comparison with an invalid stored hash throws an error', () => {
  assert.throws(() => verifyPassword('whatever it is', 'plain'), TypeError);
});

test('a generated password has 140 random bits in characters that are not easily confused', () => {
  const passwords = Array.from({ length: 200 }, generatePassword);
  for (const password of passwords)
    assert.match(password, /^[0-9a-hjkmnp-tv-z]{4}(?:-[0-9a-hjkmnp-tv-z]{4}){6}$/);
  assert.equal(new Set(passwords).size, passwords.length);
  // Every character of the alphabet occurs.
  assert.equal(new Set(passwords.join('')).size, 33);
});

test('the minimum length of a password is in characters, and the maximum length in bytes', () => {
  assert.equal(passwordFault('😀'.repeat(12)), null);
  assert.notEqual(passwordFault('😀'.repeat(11)), null);
  assert.equal(passwordFault('é'.repeat(512)), null);
  assert.notEqual(passwordFault(`${'é'.repeat(512)}x`), null);
});

test('at most two hashes are computed at once, and a request that is rejected before it hashes frees its slot', async () => {
  const rejected = hashPassword('x'.repeat(12), () => Promise.reject(new Error('too many')));
  await assert.rejects(rejected, /too many/);
  let running = 0;
  let most = 0;
  const track = async () => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running -= 1;
  };
  await Promise.all(Array.from({ length: 6 }, () => hashPassword('x'.repeat(12), track)));
  assert.ok(most <= 2);
});

test('hash requests beyond the limit of waiting requests are rejected, and the other requests are served', async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const refuse = new Error('refused');
  // Two requests occupy the slots, and a thousand wait.
  const all = Array.from({ length: 1_003 }, () =>
    hashPassword('x'.repeat(12), async () => {
      await gate;
      throw refuse;
    }),
  );
  await assert.rejects(
    all.at(-1) ?? Promise.resolve(),
    (error) => error instanceof AppError && error.code === 'unavailable',
  );
  open();
  const ends = await Promise.allSettled(all.slice(0, -1));
  assert.ok(ends.every((end) => end.status === 'rejected' && end.reason === refuse));
  assert.match(await hashPassword('x'.repeat(12)), /^\$argon2id/);
});
