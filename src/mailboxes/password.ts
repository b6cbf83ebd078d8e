/** Passwords of mailboxes: argon2id (RFC 9106), kept in PHC form, which names its own costs. */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { MAX_PASSWORD_BYTES, MIN_PASSWORD_LENGTH } from '../contract/mailboxes.ts';
import { AppError } from '../model/app-error.ts';
import { Semaphore } from '../model/semaphore.ts';

const derive = promisify(argon2);

/** Two passes over 19 MiB: 30 to 40 ms. The least that OWASP's password storage cheat sheet asks for. */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Each hash takes a thread; the pool has four, and signatures and files need them too. */
const MAX_AT_ONCE = 2;
/** A request behind so many would wait for longer than clients do. */
const MAX_WAITING = 1_000;

const turns = new Semaphore(MAX_AT_ONCE, {
  maxWaiting: MAX_WAITING,
  refusal: () =>
    new AppError('unavailable', 'Too many passwords are being set or checked.', { retryAfterSeconds: 5 }),
});

/** The same password, however a keyboard composes its characters (RFC 8265, section 4.2). */
function prepare(password: string): Buffer {
  return Buffer.from(password.replace(/\p{Zs}/gu, ' ').normalize('NFC'));
}

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
      message: prepare(password),
      nonce,
      memory: MEMORY_KIB,
      passes: PASSES,
      parallelism: LANES,
      tagLength: HASH_BYTES,
    });
    return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${unpadded(nonce)}$${unpadded(hash)}`;
  });
}

const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;
/** The hash of no password: a look-up that finds nothing takes as long as one that finds a mailbox. */
const DECOY = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/**
 * Whether a password fits a hash. A wrong password, a mailbox without one and a mailbox that does not exist take the same
 * time.
 *
 * @param phc null: there is none
 * @throws AppError unavailable, when far too many wait
 */
export async function verifyPassword(password: string, phc: string | null): Promise<boolean> {
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) return false;
  const [, memory, passes, queues, salt = '', expected = ''] = PHC.exec(phc ?? DECOY) ?? [];
  if (memory === undefined) throw new TypeError('a stored password hash is not argon2id in PHC form');
  const hash = Buffer.from(expected, 'base64');
  const derived = await turns.run(() =>
    derive('argon2id', {
      message: prepare(password),
      nonce: Buffer.from(salt, 'base64'),
      memory: Number(memory),
      passes: Number(passes),
      parallelism: Number(queues),
      tagLength: hash.length,
    }),
  );
  return timingSafeEqual(derived, hash) && phc !== null;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
