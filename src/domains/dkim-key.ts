/** A DKIM key as a row: made, sealed, and opened again. */
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

/** RFC 8301, section 3.2: at least 1024, should be 2048; a longer one does not fit every DNS answer. */
const RSA_BITS = 2048;

/** A row of `dkim_keys` of a key that signs. */
export type KeyRow = Selectable<Tables['dkimKeys']>;
type KeyName = Pick<KeyRow, 'projectId' | 'domainId' | 'selector'>;

/** A new key. Takes a tenth of a second of the thread pool, or a whole one, for RSA; next to nothing for Ed25519. */
export async function createKey(sealer: Sealer, name: KeyName, algorithm: DkimAlgorithm): Promise<KeyRow> {
  const { publicKey, privateKey } = await generate(algorithm);
  const der = privateKey.export({ type: 'pkcs8', format: 'der' });
  return {
    ...name,
    algorithm,
    publicKey: encodePublicKey(publicKey),
    privateKeySealed: sealer.seal(der, placeOf(name)),
    createdAt: clock.now(),
    state: 'active',
    keepUntil: null,
  };
}

/** Each claim on a name, and each key of a claim, has a selector of its own, so that their records stand side by side. */
export function newSelector(): string {
  return `ph${encodeId('key', newUuid()).slice(-8).toLowerCase()}`;
}

/** The same key pair for another row, sealed for it. @throws as `openPrivateKey` */
export function copyKey(sealer: Sealer, key: KeyRow, name: KeyName): KeyRow {
  const der = sealer.open(key.privateKeySealed, placeOf(key));
  return { ...key, ...name, privateKeySealed: sealer.seal(der, placeOf(name)), createdAt: clock.now() };
}

/** @throws when the key was sealed with another secret or in another row, or was changed */
export function openPrivateKey(sealer: Sealer, key: KeyName & { privateKeySealed: string }): KeyObject {
  return createPrivateKey({
    key: sealer.open(key.privateKeySealed, placeOf(key)),
    format: 'der',
    type: 'pkcs8',
  });
}

function placeOf({ projectId, domainId, selector }: KeyName): string {
  return `dkim_keys/${projectId}/${domainId}/${selector}`;
}

function generate(algorithm: DkimAlgorithm): Promise<KeyPairKeyObjectResult> {
  return algorithm === 'rsa-sha256' ? newKeyPair('rsa', { modulusLength: RSA_BITS }) : newKeyPair('ed25519');
}
