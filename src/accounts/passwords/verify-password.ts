/** Compares a password with a hash. This file imports none of our modules, so that the worker thread starts fast and stays small. */
import { argon2Sync, timingSafeEqual } from 'node:crypto';

/** Two passes over 19 MiB take 30 to 40 ms. These parameters are the minimum in OWASP's password storage cheat sheet. */
export const MEMORY_KIB = 19_456;
export const PASSES = 2;
export const LANES = 1;

const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** A hash that no password matches, so that a sign-in to an account that does not exist takes as long as any other sign-in. */
const DECOY = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Normalizes a password, because keyboards compose characters in different ways (RFC 8265, section 4.2). */
export function preparePassword(password: string): Buffer {
  return Buffer.from(password.replace(/\p{Zs}/gu, ' ').normalize('NFC'));
}

/**
 * Compares a password with a hash. The comparison takes the same time for a wrong password, an account without a password and an account
 * that does not exist. The comparison blocks its thread.
 *
 * @param phc the stored hash; null if there is no hash
 * @throws TypeError if the stored text is not a valid hash
 */
export function verifyPassword(password: string, phc: string | null): boolean {
  const [, memory, passes, queues, salt = '', expected = ''] = PHC.exec(phc ?? DECOY) ?? [];
  if (memory === undefined) throw new TypeError('a stored password hash is not argon2id in PHC form');
  const hash = Buffer.from(expected, 'base64');
  const derived = argon2Sync('argon2id', {
    message: preparePassword(password),
    nonce: Buffer.from(salt, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(queues),
    tagLength: hash.length,
  });
  return timingSafeEqual(derived, hash) && phc !== null;
}
