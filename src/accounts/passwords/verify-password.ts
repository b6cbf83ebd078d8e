/** Compares a password with a hash. It imports none of our modules, so the worker thread starts fast and stays small. */
import { argon2Sync, timingSafeEqual } from 'node:crypto';

/** Two passes over 19 MiB: 30 to 40 ms. The minimum in OWASP's password storage cheat sheet. */
export const MEMORY_KIB = 19_456;
export const PASSES = 2;
export const LANES = 1;

const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** A hash that no password matches, so that a sign-in without a mailbox takes as long as one with a mailbox. */
const DECOY = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Normalises a password, because keyboards compose characters in different ways (RFC 8265, section 4.2). */
export function preparePassword(password: string): Buffer {
  return Buffer.from(password.replace(/\p{Zs}/gu, ' ').normalize('NFC'));
}

/**
 * Checks a password against a hash. A wrong password, a mailbox without one and a mailbox that does not exist take the same
 * time. Blocks its thread during that time.
 *
 * @param phc null: there is no hash
 * @throws TypeError the stored text is not a valid hash
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
