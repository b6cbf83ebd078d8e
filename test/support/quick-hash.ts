/** Password hashes that are cheap to verify. */
import { argon2Sync, randomBytes } from 'node:crypto';
import { preparePassword } from '../../src/accounts/passwords/verify-password.ts';

/** The minimum cost of Argon2 (RFC 9106, section 3.1): 8 KiB and one pass, for one lane. */
const COST = { memory: 8, passes: 1, parallelism: 1 };

/**
 * Like `hashPassword`, for passwords of users and mailboxes in tests. A hash contains its cost, so the service verifies these hashes
 * quickly too. With the cost of `hashPassword`, hashing would take a tenth of all tests' time.
 */
export function quickHash(password: string): string {
  const nonce = randomBytes(16);
  const hash = argon2Sync('argon2id', { message: preparePassword(password), nonce, tagLength: 32, ...COST });
  const [salt, derived] = [nonce, hash].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${salt}$${derived}`;
}
