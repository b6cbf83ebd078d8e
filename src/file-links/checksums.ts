/** The checksum that a client sends with a part of a file (extension `checksum` of the tus protocol). */
import { createHash, type Hash } from 'node:crypto';
import { AppError } from '../model/app-error.ts';

export const CHECKSUM_ALGORITHMS = ['sha1', 'sha256'] as const;

export class Checksum {
  readonly #hash: Hash;
  readonly #expected: Buffer;

  /** @param header `sha256 <base64>` @throws AppError bad-request */
  constructor(header: string) {
    const [, name = '', value = ''] = /^(\w+) ([A-Za-z0-9+/]+={0,2})$/.exec(header) ?? [];
    const algorithm = CHECKSUM_ALGORITHMS.find((each) => each === name);
    if (algorithm === undefined)
      throw new AppError(
        'bad-request',
        'The header Upload-Checksum is not valid. Send sha1 or sha256, a space, and the digest in base64.',
      );
    this.#hash = createHash(algorithm);
    this.#expected = Buffer.from(value, 'base64');
  }

  add(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }

  /** @throws AppError checksum-mismatch */
  verify(): void {
    if (!this.#hash.digest().equals(this.#expected))
      throw new AppError(
        'checksum-mismatch',
        'The bytes do not match Upload-Checksum and were not stored. Send them again.',
      );
  }
}
