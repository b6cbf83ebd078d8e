/** Passwords of mailboxes and of users: argon2id (RFC 9106), kept in PHC form, which names its own costs. */
import { argon2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { MAX_PASSWORD_BYTES, MIN_PASSWORD_LENGTH } from '../../contract/password-limits.ts';
import { AppError } from '../../model/app-error.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import { MEMORY_KIB, PASSES, LANES, preparePassword } from './verify-password.ts';

const derive = promisify(argon2);

const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Each hash takes a thread; the pool has four, and signatures and files need them too. */
const MAX_AT_ONCE = 2;
/** A request behind so many would wait for longer than clients do. */
const MAX_WAITING = 1_000;

const turns = new Semaphore(MAX_AT_ONCE, {
  maxWaiting: MAX_WAITING,
  refusal: () => new AppError('unavailable', 'Too many passwords are being set.', { retryAfterSeconds: 5 }),
});

/** What is wrong with a password that somebody chose; null when nothing is. */
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

/** 140 random bits, in characters that nobody mistakes for each other. */
export function generatePassword(): string {
  const characters = Array.from(randomBytes(GROUPS * GROUP_LENGTH), (byte) => ALPHABET.charAt(byte & 31));
  return Array.from({ length: GROUPS }, (_, at) =>
    characters.slice(at * GROUP_LENGTH, (at + 1) * GROUP_LENGTH).join(''),
  ).join('-');
}

/**
 * A new hash in PHC form: `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`. Two are made at a time in a process.
 *
 * @param before runs when this hash gets its turn; when it throws, no hash is made
 * @throws AppError unavailable, when far too many wait
 */
export async function hashPassword(
  password: string,
  before: () => Promise<void> = async () => {},
): Promise<string> {
  return turns.run(async () => {
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
