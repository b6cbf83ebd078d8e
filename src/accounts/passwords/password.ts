/** Passwords of mailboxes and users: argon2id (RFC 9106), stored in PHC form, which contains the cost parameters. */
import { argon2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { MAX_PASSWORD_BYTES, MIN_PASSWORD_LENGTH } from '../../contract/password-limits.ts';
import { AppError } from '../../model/app-error.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import { MEMORY_KIB, PASSES, LANES, preparePassword } from './verify-password.ts';

const derive = promisify(argon2);

const SALT_BYTES = 16;
const HASH_BYTES = 32;

/**
 * Maximum number of hashes computed at once. Each hash occupies one of the four threads of Node's pool, and signing and file access need
 * threads too.
 */
const MAX_AT_ONCE = 2;
/** Maximum number of waiting requests. Beyond this number, a request would time out before its hash is computed. */
const MAX_WAITING = 1_000;

const slots = new Semaphore(MAX_AT_ONCE, {
  maxWaiting: MAX_WAITING,
  makeError: () =>
    new AppError('unavailable', 'Too many passwords are being set. Try again in a few seconds.', {
      retryAfterSeconds: 5,
    }),
});

/** The reason why a new password is invalid. Null if the password is valid. */
export function passwordFault(password: string): string | null {
  if ([...password].length < MIN_PASSWORD_LENGTH)
    return `must have at least ${MIN_PASSWORD_LENGTH} characters`;
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES)
    return `must have at most ${MAX_PASSWORD_BYTES} bytes`;
  return null;
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const GROUPS = 7;
const GROUP_LENGTH = 4;

/** Generates a password of 140 random bits, in characters that are not easily confused. */
export function generatePassword(): string {
  const characters = Array.from(randomBytes(GROUPS * GROUP_LENGTH), (byte) => ALPHABET.charAt(byte & 31));
  return Array.from({ length: GROUPS }, (_, at) =>
    characters.slice(at * GROUP_LENGTH, (at + 1) * GROUP_LENGTH).join(''),
  ).join('-');
}

/**
 * Returns a new hash in PHC form: `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`. A process computes two hashes at a time.
 *
 * @param before runs immediately before the hash is computed; if it throws, no hash is computed
 * @throws AppError unavailable if too many requests are waiting
 */
export async function hashPassword(
  password: string,
  before: () => Promise<void> = async () => {},
): Promise<string> {
  return slots.run(async () => {
    await before();
    const nonce = randomBytes(SALT_BYTES);
    const hash = await derive('argon2id', {
      message: preparePassword(password),
      nonce,
      memory: MEMORY_KIB,
      passes: PASSES,
      parallelism: LANES,
      tagLength: HASH_BYTES,
    });
    return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${unpadded(nonce)}$${unpadded(hash)}`;
  });
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
