/** Creates, seals and opens the rows of DKIM keys. */
import { createPrivateKey, generateKeyPair, type KeyObject, type KeyPairKeyObjectResult } from 'node:crypto';
import { promisify } from 'node:util';
import type { Selectable } from 'kysely';
import type { Sealer } from '../db/seal.ts';
import type { Tables } from '../db/tables.ts';
import { encodePublicKey } from '../rfc/dkim/record.ts';
import type { DkimAlgorithm } from '../rfc/dkim/signature-field.ts';
import * as clock from '../model/clock.ts';
import { encodeId, newUuid } from '../model/ids.ts';

const newKeyPair = promisify(generateKeyPair);

/**
 * The size of an RSA key. RFC 8301, section 3.2, requires at least 1024 bits and recommends 2048. With a longer key, the record does not
 * fit into every DNS response.
 */
const RSA_BITS = 2048;

/** A row of `dkim_keys` for a signing key. */
export type KeyRow = Selectable<Tables['dkimKeys']>;
type KeyName = Pick<KeyRow, 'projectId' | 'domainId' | 'selector'>;

/** Creates a key. An RSA key occupies a thread of the pool for 100 ms, sometimes for a second; an Ed25519 key takes almost no time. */
export async function createKey(sealer: Sealer, name: KeyName, algorithm: DkimAlgorithm): Promise<KeyRow> {
  return keyRow(sealer, name, algorithm, await generateKeys(algorithm));
}

/** The row of a new key. @param keys a result of `generateKeys` for the algorithm */
export function keyRow(
  sealer: Sealer,
  name: KeyName,
  algorithm: DkimAlgorithm,
  { publicKey, privateKey }: KeyPairKeyObjectResult,
): KeyRow {
  const der = privateKey.export({ type: 'pkcs8', format: 'der' });
  return {
    ...name,
    algorithm,
    publicKey: encodePublicKey(publicKey),
    privateKeySealed: sealer.seal(der, contextOf(name)),
    createdAt: clock.now(),
    state: 'active',
    keepUntil: null,
  };
}

/** A new selector. Each key of each claim has its own selector, so that the records of several keys can coexist. */
export function newSelector(): string {
  return `ph${encodeId('key', newUuid()).slice(-8).toLowerCase()}`;
}

/** Copies the key pair to another row and seals it for that row. @throws like `openPrivateKey` */
export function copyKey(sealer: Sealer, key: KeyRow, name: KeyName): KeyRow {
  const der = sealer.open(key.privateKeySealed, contextOf(key));
  return { ...key, ...name, privateKeySealed: sealer.seal(der, contextOf(name)), createdAt: clock.now() };
}

/** Opens a sealed private key. @throws Error if the key was sealed with another secret or for another row, or was changed */
export function openPrivateKey(sealer: Sealer, key: KeyName & { privateKeySealed: string }): KeyObject {
  return createPrivateKey({
    key: sealer.open(key.privateKeySealed, contextOf(key)),
    format: 'der',
    type: 'pkcs8',
  });
}

function contextOf({ projectId, domainId, selector }: KeyName): string {
  return `dkim_keys/${projectId}/${domainId}/${selector}`;
}

/** Generates the keys of a row. An RSA key takes as long as `createKey` describes. */
export function generateKeys(algorithm: DkimAlgorithm): Promise<KeyPairKeyObjectResult> {
  return algorithm === 'rsa-sha256' ? newKeyPair('rsa', { modulusLength: RSA_BITS }) : newKeyPair('ed25519');
}
