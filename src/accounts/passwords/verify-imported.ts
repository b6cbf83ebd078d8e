/** Compares passwords with hashes that other mail servers made. Only the worker thread loads this file. */
import { argon2Sync, timingSafeEqual } from 'node:crypto';
import bcrypt from 'bcryptjs';
import { type ParsedHash, parseStored } from './imported-hash.ts';
import { shaCrypt } from './sha-crypt.ts';
import { preparePassword } from './verify-password.ts';

/**
 * The maximum number of bytes of a password of which two forms are compared. Attack: a client sends long passwords that Posthorn prepares
 * in another form, so that each guess takes twice as long.
 */
const MAX_TWO_FORMS_BYTES = 128;

/**
 * Compares a password with a hash that another system made. Blocks its thread.
 *
 * Other systems hashed the characters as the keyboard sent them. If Posthorn prepares a short password in another form, this form is
 * compared too.
 * @throws TypeError if the stored text is not a hash of another system
 */
export function verifyImported(password: string, stored: string): boolean {
  const parsed = parseStored(stored);
  // This depends only on the password, so a stand-in takes as long as the hash of an account.
  const hasTwoForms = Buffer.byteLength(password) <= MAX_TWO_FORMS_BYTES;
  const forms = new Set(hasTwoForms ? [preparePassword(password).toString(), password] : [password]);
  const isMatch = Array.from(forms, (form) => matches(form, parsed)).includes(true);
  // Attack: another system may have hashed an empty password. `SignIn` checks an empty password for every password that is too long.
  return isMatch && password !== '';
}

function matches(password: string, parsed: ParsedHash): boolean {
  switch (parsed.scheme) {
    case 'BLF-CRYPT':
      // Like all implementations, this one ignores the bytes of a password after the 72nd.
      return isEqual(bcrypt.hashSync(password, parsed.hash.slice(0, 29)).slice(29), parsed.hash.slice(29));
    case 'SHA256-CRYPT':
    case 'SHA512-CRYPT': {
      const digest = parsed.scheme === 'SHA256-CRYPT' ? 'sha256' : 'sha512';
      const { salt, rounds } = parsed;
      return isEqual(shaCrypt(digest, Buffer.from(password), Buffer.from(salt), rounds), parsed.digest);
    }
    case 'ARGON2ID': {
      const { memory, passes, lanes, salt, digest } = parsed;
      const expected = Buffer.from(digest, 'base64');
      const derived = argon2Sync('argon2id', {
        message: Buffer.from(password),
        nonce: Buffer.from(salt, 'base64'),
        memory,
        passes,
        parallelism: lanes,
        tagLength: expected.length,
      });
      return timingSafeEqual(derived, expected);
    }
    default:
      return parsed satisfies never;
  }
}

function isEqual(one: string, other: string): boolean {
  const [bytes, others] = [Buffer.from(one), Buffer.from(other)];
  return bytes.length === others.length && timingSafeEqual(bytes, others);
}
