/**
 * DKIM signatures (RFC 6376) with RSA and Ed25519 (RFC 8463). The calling thread computes the canonical forms and the
 * body hash; libuv's thread pool computes the signatures.
 */
import { hash, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { relaxBody } from './canonical.ts';
import { canonicalField, type DkimAlgorithm, signedField, unsignedField } from './signature-field.ts';
import { selectSignedFields } from './signed-fields.ts';

export interface SigningKey {
  /** d=, in A-labels. */
  domain: string;
  /** s= */
  selector: string;
  algorithm: DkimAlgorithm;
  /** The key is already parsed, because parsing costs more than an Ed25519 signature. */
  privateKey: KeyObject;
}

export interface UnsignedMessage {
  /** The header fields, each ending with CRLF, without the empty line after the header. A string is encoded as UTF-8. */
  header: string | Buffer;
  /** The body after the empty line, with CRLF line ends. */
  body: Buffer;
}

export interface SigningOptions {
  /** t=, in whole seconds since 1970. Both algorithms are deterministic: the same message and timestamp give the same bytes. */
  timestamp: number;
  /** The result of `hashBody`, if already known. */
  bodyHash?: Buffer;
  /** Names (in lower case) of fields to leave unsigned because a server in between replaces them. Default: none. */
  except?: readonly string[];
}

/**
 * Returns one DKIM-Signature field per key, in the order of the keys, each ending with CRLF, to prepend to the header. No
 * signature covers another, so each can be verified alone. Without keys, returns an empty string.
 *
 * @throws TypeError if a key does not match its algorithm
 */
export async function signDkim(
  message: UnsignedMessage,
  keys: readonly SigningKey[],
  options: SigningOptions,
): Promise<string> {
  if (keys.length === 0) return '';
  const { header, body } = message;
  // Latin-1 preserves every byte, regardless of the encoding.
  const encoding = typeof header === 'string' ? 'utf8' : 'latin1';
  const { timestamp, except = [], bodyHash: known = hashBody(body) } = options;
  const { names, canonical } = selectSignedFields(
    typeof header === 'string' ? header : header.toString('latin1'),
    except,
  );
  const bodyHash = known.toString('base64');
  const fields = keys.map(async (key) => {
    const unsigned = unsignedField({ ...key, timestamp, signedNames: names, bodyHash });
    const data = Buffer.from(canonical + canonicalField(unsigned), encoding);
    const signature = await signInPool(key, data);
    return signedField(unsigned, signature.toString('base64'));
  });
  return (await Promise.all(fields)).join('');
}

/** The body hash of a signature: SHA-256 of the relaxed form. Hashing 30 MB takes 50 ms or more. */
export function hashBody(body: Buffer): Buffer {
  return hash('sha256', relaxBody(body), 'buffer');
}

const signOffThread = promisify(sign);

/** @throws TypeError if the key does not match its algorithm */
export function signInPool({ algorithm, privateKey }: SigningKey, data: Buffer): Promise<Buffer> {
  const isRsa = algorithm === 'rsa-sha256';
  // Node would also sign with an RSA key in place of an Ed25519 key, and such signatures cannot be verified.
  if (privateKey.asymmetricKeyType !== (isRsa ? 'rsa' : 'ed25519'))
    throw new TypeError(`not a key for ${algorithm}`);
  // RFC 8463, section 3: Ed25519 signs the SHA-256 of the data.
  return isRsa
    ? signOffThread('sha256', data, privateKey)
    : signOffThread(null, hash('sha256', data, 'buffer'), privateKey);
}
