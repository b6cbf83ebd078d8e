/** Compares a password with a hash of one. It imports nothing of ours, so that a thread that does no more starts fast and stays small. */
import { argon2Sync, timingSafeEqual } from 'node:crypto';

/** Two passes over 19 MiB: 30 to 40 ms. The least that OWASP's password storage cheat sheet asks for. */
export const MEMORY_KIB = 19_456;
export const PASSES = 2;
export const LANES = 1;

const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** The hash of no password: a look-up that finds nothing takes as long as one that finds a mailbox. */
const DECOY = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** The same password, however a keyboard composes its characters (RFC 8265, section 4.2). */
export function preparePassword(password: string): Buffer {
  return Buffer.from(password.replace(/\p{Zs}/gu, ' ').normalize('NFC'));
}

/**
 * Whether a password fits a hash. A wrong password, a mailbox without one and a mailbox that does not exist take the same
 * time. It keeps its thread for all of that time.
 *
 * @param phc null: there is none
 * @throws TypeError the stored text is no hash
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
