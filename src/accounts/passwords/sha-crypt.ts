/**
 * SHA-crypt, the password hashes `$5$` and `$6$` of glibc (Drepper, "Unix crypt using SHA-256 and SHA-512", version 0.6). The step
 * numbers are those of the specification. This file imports none of our modules, because a worker thread loads it.
 */
import { hash } from 'node:crypto';

type Digest = 'sha256' | 'sha512';

/** The alphabet of crypt(3), which is not that of RFC 4648. */
const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const DIGEST_BYTES = { sha256: 32, sha512: 64 } as const;
/** The inputs of the rounds repeat after this many rounds: the least common multiple of 2, 3 and 7. */
const PERIOD = 42;

/**
 * Computes the last part of a hash. Blocks its thread for about a second per million rounds.
 *
 * @param salt at most 16 bytes, of which all are used
 * @returns 43 characters for SHA-256, 86 for SHA-512
 */
export function shaCrypt(digest: Digest, password: Buffer, salt: Buffer, rounds: number): string {
  const digestOf = (...parts: readonly Buffer[]): Buffer => hash(digest, Buffer.concat(parts), 'buffer');
  // Steps 4 to 8
  const b = digestOf(password, salt, password);
  // Steps 1 to 3, and 9 to 12
  const first: Buffer[] = [password, salt, repeated(b, password.length)];
  for (let bits = password.length; bits > 0; bits >>= 1) first.push((bits & 1) === 1 ? b : password);
  let a = digestOf(...first);
  // Steps 13 to 20
  const p = repeated(digestOf(repeated(password, password.length ** 2)), password.length);
  const s = repeated(digestOf(repeated(salt, salt.length * (16 + (a[0] ?? 0)))), salt.length);
  // Step 21
  const inputs = Array.from({ length: PERIOD }, (_, round) => {
    const rest = [...(round % 3 === 0 ? [] : [s]), ...(round % 7 === 0 ? [] : [p])];
    const parts = round % 2 === 0 ? [a, ...rest, p] : [p, ...rest, a];
    const bytes = Buffer.concat(parts);
    return { bytes, at: round % 2 === 0 ? 0 : bytes.length - a.length };
  });
  for (let round = 0; round < rounds; round++) {
    const input = inputs[round % PERIOD];
    if (input === undefined) continue;
    a.copy(input.bytes, input.at);
    a = hash(digest, input.bytes, 'buffer');
  }
  return encoded(digest, a);
}

/** The bytes repeated, and cut to the length. */
function repeated(bytes: Buffer, length: number): Buffer {
  return bytes.length === 0 ? Buffer.alloc(0) : Buffer.alloc(length, bytes);
}

/** Step 22: groups of three bytes, each written as four characters from its lowest bits on. */
function encoded(digest: Digest, bytes: Buffer): string {
  const third = Math.floor(DIGEST_BYTES[digest] / 3);
  let group = [0, third, 2 * third];
  let text = '';
  for (let count = 0; count < third; count++) {
    const [x = 0, y = 0, z = 0] = group;
    text += characters([bytes[z], bytes[y], bytes[x]], 4);
    group = digest === 'sha512' ? [y + 1, z + 1, x + 1] : [z + 1, x + 1, y + 1];
  }
  return text + (digest === 'sha512' ? characters([bytes[63]], 2) : characters([bytes[30], bytes[31]], 3));
}

/** @param bytes the lowest byte first */
function characters(bytes: readonly (number | undefined)[], count: number): string {
  const word = bytes.reduce((sum: number, byte = 0, at) => sum | (byte << (8 * at)), 0);
  return Array.from({ length: count }, (_, at) => ALPHABET.charAt((word >> (6 * at)) & 63)).join('');
}
