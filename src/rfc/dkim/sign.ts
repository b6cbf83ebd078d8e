/**
 * DKIM signatures (RFC 6376) with RSA and Ed25519 (RFC 8463). The calling thread computes the canonical forms and the body hash. The thread
 * pool of libuv computes the signatures.
 */
import { hash, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { relaxBody } from './canonical.ts';
import { canonicalField, type DkimAlgorithm, signedField, unsignedField } from './signature-field.ts';
import { selectSignedFields } from './signed-fields.ts';

export interface SigningKey {
  /** The tag d=, in A-labels. */
  domain: string;
  /** The tag s=. */
  selector: string;
  algorithm: DkimAlgorithm;
  /** The parsed key, because it takes longer to parse a key than to create an Ed25519 signature. */
  privateKey: KeyObject;
}

export interface UnsignedMessage {
  /** The header fields, each ending with CRLF, without the empty line after the header. A string is encoded as UTF-8. */
  header: string | Buffer;
  /** The body after the empty line, with CRLF line ends. */
  body: Buffer;
}

export interface SigningOptions {
  /** The tag t=, in whole seconds since 1970. Signatures are deterministic, so equal messages and timestamps give equal signatures. */
  timestamp: number;
  /** The result of `hashBody`, if the caller has already computed the hash. */
  bodyHash?: Buffer;
  /** Names, in lower case, of fields that are not signed because a relay will replace the fields. Default: none. */
  except?: readonly string[];
}

/**
 * Returns one DKIM-Signature field per key, in the order of the keys, each ending with CRLF, to prepend to the header. Each signature can
 * be verified alone, because no signature covers another signature. Returns an empty string if there are no keys.
 *
 * @throws TypeError if a private key does not match its `algorithm`
 */
export async function signDkim(
  message: UnsignedMessage,
  keys: readonly SigningKey[],
  options: SigningOptions,
): Promise<string> {
  if (keys.length === 0) return '';
  const { header, body } = message;
  // Latin-1 preserves every byte of a buffer, whatever the encoding of the header is.
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

/** The body hash of a signature: SHA-256 of the relaxed form of the body. Hashing 30 MB takes at least 50 ms. */
export function hashBody(body: Buffer): Buffer {
  return hash('sha256', relaxBody(body), 'buffer');
}

const signOffThread = promisify(sign);

/** Signs data in the thread pool of libuv. @throws TypeError if the private key does not match its `algorithm` */
export function signInPool({ algorithm, privateKey }: SigningKey, data: Buffer): Promise<Buffer> {
  const isRsa = algorithm === 'rsa-sha256';
  // Node would sign with an RSA key in place of an Ed25519 key, but no receiver could verify the signature.
  if (privateKey.asymmetricKeyType !== (isRsa ? 'rsa' : 'ed25519'))
    throw new TypeError(`not a key for ${algorithm}`);
  // Ed25519 signs the SHA-256 hash of the data (RFC 8463, section 3).
  return isRsa
    ? signOffThread('sha256', data, privateKey)
    : signOffThread(null, hash('sha256', data, 'buffer'), privateKey);
}
