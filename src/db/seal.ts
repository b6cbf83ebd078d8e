/**
 * Encrypts secrets at rest, such as private keys, with POSTHORN_SECRET, so that a copy of the database alone reveals no secret.
 *
 * The key is derived from POSTHORN_SECRET with scrypt, because people choose passphrases. The database stores a random salt, and a check
 * value that shows whether a given POSTHORN_SECRET is right. Because of the salt, the same passphrase gives a different key in another
 * installation, and precomputed tables of common passphrases are useless.
 */
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  scrypt,
  type ScryptOptions,
} from 'node:crypto';
import { promisify } from 'node:util';
import type { Database } from './database.ts';
import { BAD_CONFIGURATION, StartupError } from '../model/startup-error.ts';

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
/** 96 bits, as GCM requires. Random nonces are safe for 2^32 sealed values (NIST SP 800-38D, section 8.3). */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SALT_BYTES = 16;
/** Costs 16 MiB and about 30 ms once per process, which is acceptable at startup. */
const SCRYPT_COST = { N: 2 ** 14, r: 8, p: 1 };

const CHECK_SETTING = 'secret_check';

/** Seals with one key. The format is `v1.<key id>.<nonce>.<ciphertext and tag>`; the nonce and the ciphertext are in base64url. */
export class Sealer {
  readonly #key: KeyObject;
  /** Identifies the key of a sealed value. The id reveals no more about the secret than a sealed value does. */
  readonly keyId: string;

  private constructor(key: Buffer) {
    this.#key = createSecretKey(key);
    this.keyId = hash('sha256', key).slice(0, 8);
  }

  /** Takes about 30 ms in the thread pool. To get the sealer of a database, call `checkSecret`. */
  static async create(secret: string, salt: Buffer): Promise<Sealer> {
    return new Sealer(await derive(secret, salt, KEY_BYTES, SCRYPT_COST));
  }

  /**
   * Derives a key for another purpose, which the label names (RFC 5869). The derived key reveals neither this key nor the keys of other
   * labels.
   */
  deriveKey(label: string): KeyObject {
    return createSecretKey(Buffer.from(hkdfSync('sha256', this.#key, '', label, KEY_BYTES)));
  }

  /** @param context where the value is stored, such as its table and primary key; the value opens only with the same context */
  seal(plain: Buffer, context: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES }).setAAD(
      Buffer.from(context),
    );
    const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    return `v1.${this.keyId}.${nonce.toString('base64url')}.${sealed.toString('base64url')}`;
  }

  /** @throws if the value was sealed with another key or for another context, or was changed */
  open(sealed: string, context: string): Buffer {
    const [version, keyId, nonceText, sealedText, ...rest] = sealed.split('.');
    const nonce = Buffer.from(nonceText ?? '', 'base64url');
    const bytes = Buffer.from(sealedText ?? '', 'base64url');
    if (version !== 'v1' || rest.length > 0 || nonce.length !== NONCE_BYTES || bytes.length < TAG_BYTES) {
      throw new Error(`${context}: not a sealed value`);
    }
    if (keyId !== this.keyId) {
      throw new Error(
        `${context}: sealed with the key ${keyId}, and POSTHORN_SECRET gives the key ${this.keyId}`,
      );
    }
    const decipher = createDecipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(context))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    const plain = decipher.update(bytes.subarray(0, -TAG_BYTES));
    try {
      return Buffer.concat([plain, decipher.final()]);
    } catch (cause) {
      throw new Error(`${context}: the sealed value was changed, or was sealed for another context`, {
        cause,
      });
    }
  }
}

/**
 * The sealer of a database. The first start determines the secret of the database. If several first starts run at once, one of them
 * determines the secret.
 * @throws StartupError if `secret` is not the secret of the database
 */
export async function checkSecret(database: Database, secret: string): Promise<Sealer> {
  const check = (await readCheck(database)) ?? (await storeCheck(database, secret));
  const sealer = await sealerOf(check, secret);
  if (sealer === null) {
    throw new StartupError(
      'POSTHORN_SECRET does not match the one this database was sealed with. Start with the secret that it was first started with.',
      { exitCode: BAD_CONFIGURATION },
    );
  }
  return sealer;
}

/** @param check the check value of a database @returns null if the check value was created with another secret */
export async function sealerOf(check: string, secret: string): Promise<Sealer | null> {
  const saltEnd = check.indexOf('.');
  const sealer = await Sealer.create(secret, Buffer.from(check.slice(0, saltEnd), 'base64url'));
  try {
    sealer.open(check.slice(saltEnd + 1), CHECK_SETTING);
  } catch {
    return null;
  }
  return sealer;
}

async function readCheck(database: Database): Promise<string | undefined> {
  const row = await database
    .selectFrom('settings')
    .select('value')
    .where('name', '=', CHECK_SETTING)
    .executeTakeFirst();
  return row?.value;
}

/** Stores a check value unless the database has one. @returns the stored value, which may be from another process */
async function storeCheck(database: Database, secret: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const sealed = (await Sealer.create(secret, salt)).seal(Buffer.alloc(0), CHECK_SETTING);
  await database
    .insertInto('settings')
    .values({ name: CHECK_SETTING, value: `${salt.toString('base64url')}.${sealed}` })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const stored = await readCheck(database);
  if (stored === undefined)
    throw new Error('the check value of the secret was removed right after it was stored');
  return stored;
}
