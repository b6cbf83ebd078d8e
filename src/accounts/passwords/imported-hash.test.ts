import assert from 'node:assert/strict';
import { argon2Sync } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { HashingThread } from './hashing-thread.ts';
import { readImportedHash, standInFor } from './imported-hash.ts';
import { verifyImported } from './verify-imported.ts';

const BCRYPT = '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';
const SHA256 = '$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5';
const SHA512 =
  '$6$rounds=10000$saltstringsaltst$OW1/O6BYHV6BcXZu8QVeXbDWra3Oeqh0sbHbbMCVNSnCM/UrjmM0Dp8vOuZeHBy/YTBmSK6H9qs/y3RnOaw5v.';
// The test vector of the reference implementation: argon2 -id -t 2 -m 16 -p 1.
const ARGON2ID = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
const [DIGEST_53, DIGEST_86] = ['a'.repeat(53), 'a'.repeat(86)];

const ACCEPTED: [given: string, stored: string][] = [
  [BCRYPT, `{BLF-CRYPT}${BCRYPT}`],
  [`{BLF-CRYPT}${BCRYPT.replace('$2a$', '$2y$')}\n`, `{BLF-CRYPT}${BCRYPT.replace('$2a$', '$2y$')}`],
  [`{CRYPT}${BCRYPT.replace('$2a$', '$2b$')}`, `{BLF-CRYPT}${BCRYPT.replace('$2a$', '$2b$')}`],
  [`  ${SHA256}`, `{SHA256-CRYPT}${SHA256}`],
  [`{SHA512-CRYPT}${SHA512}`, `{SHA512-CRYPT}${SHA512}`],
  [`{sha512-crypt}${SHA512}`, `{SHA512-CRYPT}${SHA512}`],
  [`{ARGON2ID}${ARGON2ID}`, `{ARGON2ID}${ARGON2ID}`],
];
for (const [given, stored] of ACCEPTED)
  test(`the hash ${JSON.stringify(given)} is stored with the name of its scheme`, () => {
    assert.deepEqual(readImportedHash(given), { stored });
  });

const REJECTED: [given: string, fault: RegExp][] = [
  ['', /not a hash of a known kind; accepted are bcrypt/],
  ['correct horse battery', /must be one hash/],
  [`ann:${BCRYPT}`, /not a hash of a known kind/],
  [`${BCRYPT}\n${BCRYPT}`, /must be one hash/],
  [`${SHA512}${'a'.repeat(500)}`, /must be one hash of at most 512/],
  ['{PLAIN}correct-horse', /plain text/],
  ['$1$saltstri$YMyguxXMBpd2TEZ.vS/3q1', /MD5/],
  ['{MD5-CRYPT}$1$saltstri$YMyguxXMBpd2TEZ.vS/3q1', /MD5/],
  ['{PLAIN-MD5}5f4dcc3b5aa765d61d8327deb882cf99', /MD5/],
  ['$apr1$r31.....$HqJZimcKQFAMYayBlzkrA/', /MD5/],
  ['rqXexS6ZhobKA', /DES/],
  ['{CRYPT}rqXexS6ZhobKA', /DES/],
  ['{SSHA256}VBPuJHI7uixaa6LQGWx4s+5GKNE=', /single round of SHA/],
  ['$y$j9T$F5Jx5fExrKuPp53xLKQ..1$X3DX6M94c7o.9agCG9G317fhZg9SqC.5i5rd.RhAtQ7', /yescrypt/],
  ['$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA', /argon2i /],
  [`$2x$05$${DIGEST_53}`, /version with an error/],
  [`{SHA512-CRYPT}${BCRYPT}`, /is named SHA512-CRYPT, but has the form of BLF-CRYPT/],
  [`{CRYPT}${ARGON2ID}`, /is named CRYPT/],
  [`$2b$04$${DIGEST_53}`, /bcrypt cost of 4, which is too weak \(the minimum is 5\)/],
  [`$2b$13$${DIGEST_53}`, /bcrypt cost of 13, which takes too long to check \(the maximum is 12\)/],
  [`$2b$31$${DIGEST_53}`, /takes too long/],
  [`$6$rounds=1000$salt$${DIGEST_86}`, /1000, which is too weak \(the minimum is 5000\)/],
  [`$6$rounds=100001$salt$${DIGEST_86}`, /100001, which takes too long to check \(the maximum is 100000\)/],
  [`$6$rounds=999999999$salt$${DIGEST_86}`, /takes too long/],
  [ARGON2ID.replace('m=65536', 'm=4096'), /argon2id memory in KiB of 4096, which is too weak/],
  [ARGON2ID.replace('m=65536,t=2', 'm=8192,t=1'), /times passes of 8192, which is too weak/],
  [ARGON2ID.replace('m=65536', 'm=2097152'), /takes too long/],
  [ARGON2ID.replace('t=2', 't=99'), /takes too long/],
  [ARGON2ID.replace('t=2', 't=0'), /at least 1 pass/],
  [ARGON2ID.replace('p=1', 'p=99'), /1 to 16 lanes/],
  [ARGON2ID.replace('v=19', 'v=16'), /not a hash of a known kind/],
];
for (const [given, fault] of REJECTED)
  test(`the text ${JSON.stringify(given)} is rejected: ${fault.source}`, () => {
    const read = readImportedHash(given);
    assert.ok('fault' in read);
    assert.match(read.fault, fault);
  });

test('no text makes reading throw, and an accepted hash is read again as the same hash', () => {
  const hashes = fc.constantFrom(BCRYPT, SHA256, SHA512, ARGON2ID);
  const cut = fc
    .tuple(hashes, fc.nat(150), fc.string({ maxLength: 4 }))
    .map(([hash, at, put]) => hash.slice(0, at) + put + hash.slice(at));
  fc.assert(
    fc.property(fc.oneof(fc.string(), cut), (text) => {
      const read = readImportedHash(text);
      if ('stored' in read) assert.deepEqual(readImportedHash(read.stored), read);
    }),
  );
});

/** The vectors of bcrypt are those of Openwall's `crypt_blowfish`. */
const VECTORS: [password: string, stored: string][] = [
  ['U*U', `{BLF-CRYPT}${BCRYPT}`],
  ['U*U*', '{BLF-CRYPT}$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK'],
  ['U*U*U', '{BLF-CRYPT}$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a'],
  [
    '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789chars after 72 are ignored',
    '{BLF-CRYPT}$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui',
  ],
  ['Hello world!', `{SHA256-CRYPT}${SHA256}`],
  ['Hello world!', `{SHA512-CRYPT}${SHA512}`],
  ['password', `{ARGON2ID}${ARGON2ID}`],
];
for (const [password, stored] of VECTORS)
  test(`the password "${password}" matches its hash ${stored}, and no stand-in`, () => {
    assert.equal(verifyImported(password, stored), true);
    assert.equal(verifyImported(`x${password}`, stored), false);
    assert.equal(verifyImported(password, standInFor(stored)), false);
    assert.equal(standInFor(stored).length, stored.length);
  });

function argon2idOf(password: string): string {
  const nonce = Buffer.from('somesalt');
  const cost = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 };
  const hash = argon2Sync('argon2id', { message: Buffer.from(password), nonce, ...cost });
  const [salt, digest] = [nonce, hash].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  return `{ARGON2ID}$argon2id$v=19$m=8,t=1,p=1$${salt}$${digest}`;
}

test('a password matches in the form that the keyboard sent, and in the form that Posthorn prepares', () => {
  const [composed, decomposed] = ['p\u00e4ssw\u00f6rd', 'pa\u0308sswo\u0308rd'];
  assert.equal(verifyImported(decomposed, argon2idOf(decomposed)), true);
  assert.equal(verifyImported(decomposed, argon2idOf(composed)), true);
  assert.equal(verifyImported(composed, argon2idOf(composed)), true);
  assert.equal(verifyImported(composed, argon2idOf(decomposed)), false);
});

test('a long password matches only in the form that the keyboard sent', () => {
  const [composed, decomposed] = ['\u00e4', 'a\u0308'];
  // 128 and 129 bytes
  const [short, long] = ['x'.repeat(125), 'x'.repeat(126)];
  assert.equal(verifyImported(short + decomposed, argon2idOf(short + composed)), true);
  assert.equal(verifyImported(long + decomposed, argon2idOf(long + composed)), false);
  assert.equal(verifyImported(long + decomposed, argon2idOf(long + decomposed)), true);
});

test('an empty password matches nothing, even if another system hashed an empty password', () => {
  assert.equal(verifyImported('', argon2idOf('')), false);
});

test('the thread compares with the stand-in if there is no hash, and no password matches it', async () => {
  await using thread = new HashingThread();
  assert.equal(await thread.verify('U*U', `{BLF-CRYPT}${BCRYPT}`), true);
  assert.equal(await thread.verify('U*U', null, `{BLF-CRYPT}${BCRYPT}`), false);
  // An invalid stand-in fails, so the stand-in is what the thread compared.
  await assert.rejects(thread.verify('U*U', null, '{BLF-CRYPT}$2a$'), TypeError);
});
