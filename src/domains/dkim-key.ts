/** A DKIM key as a row: made, sealed, and opened again. */
import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import type { Sealer } from '../db/seal.ts';
import { encodePublicKey } from '../rfc/dkim/record.ts';
import type { DkimAlgorithm } from '../rfc/dkim/signature-field.ts';

/** RFC 8301, section 3.2: at least 1024, should be 2048; a longer one does not fit every DNS answer. */
const RSA_BITS = 2048;

export interface KeyName {
  projectId: string;
  domainId: string;
  /** s= */
  selector: string;
}

/** A row of `dkim_keys`. */
export interface KeyRow extends KeyName {
  algorithm: DkimAlgorithm;
  publicKey: string;
  privateKeySealed: string;
  createdAt: Date;
}

/** A new key. Takes a tenth of a second of the thread pool, or a whole one, for RSA; next to nothing for Ed25519. */
export async function createKey(sealer: Sealer, name: KeyName, algorithm: DkimAlgorithm): Promise<KeyRow> {
  const { publicKey, privateKey } = await generate(algorithm);
  const der = privateKey.export({ type: 'pkcs8', format: 'der' });
  return {
    ...name,
    algorithm,
    publicKey: encodePublicKey(publicKey),
    privateKeySealed: sealer.seal(der, placeOf(name)),
    createdAt: new Date(),
  };
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

function generate(algorithm: DkimAlgorithm): Promise<{ publicKey: KeyObject; privateKey: KeyObject }> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, publicKey: KeyObject, privateKey: KeyObject) =>
      error === null ? resolve({ publicKey, privateKey }) : reject(error);
    if (algorithm === 'rsa-sha256') generateKeyPair('rsa', { modulusLength: RSA_BITS }, done);
    else generateKeyPair('ed25519', undefined, done);
  });
}
