/** Reads and verifies password hashes that Dovecot makes. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { suite, test } from 'node:test';
import { readImportedHash } from '../../src/accounts/passwords/imported-hash.ts';
import { verifyImported } from '../../src/accounts/passwords/verify-imported.ts';
import { requireProgram, withPeers } from './peers.ts';

const PASSWORDS = ['correct horse battery', 'grüße und küsse 😀', 'x'.repeat(71)];
/** Each scheme with options for another cost than the default. */
const SCHEMES: readonly (readonly string[])[] = [
  ['BLF-CRYPT'],
  ['BLF-CRYPT', '-r', '7'],
  ['SHA256-CRYPT'],
  ['SHA512-CRYPT'],
  ['SHA512-CRYPT', '-r', '6000'],
  ['CRYPT'],
  ['ARGON2ID'],
];

suite('password hashes of Dovecot', withPeers, () => {
  const doveadm = requireProgram('/usr/bin/doveadm', 'dovecot-core');
  for (const [scheme = '', ...options] of SCHEMES)
    test(`a hash of doveadm pw -s ${[scheme, ...options].join(' ')} is accepted and verified`, () => {
      for (const password of PASSWORDS) {
        // -O: without a configuration file
        const args = ['-O', 'pw', '-s', scheme, ...options, '-p', password];
        const read = readImportedHash(execFileSync(doveadm, args, { encoding: 'utf8' }));
        assert.ok('stored' in read, JSON.stringify(read));
        assert.equal(verifyImported(password, read.stored), true);
        assert.equal(verifyImported(`${password.slice(1)}y`, read.stored), false);
      }
    });
});
