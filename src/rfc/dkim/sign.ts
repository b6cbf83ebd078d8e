/**
 * DKIM signatures (RFC 6376), by RSA and by Ed25519 (RFC 8463). The calling thread computes the canonical forms and the
 * hash of the body; libuv's thread pool makes the signatures.
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
  /** Parsed once: parsing costs more than an Ed25519 signature. */
  privateKey: KeyObject;
}

export interface UnsignedMessage {
  /** The fields, each ending with CRLF; without the empty line. A string is taken as UTF-8. */
  header: string | Buffer;
  /** What follows the empty line, with CRLF line ends. */
  body: Buffer;
}

export interface SigningOptions {
  /** t=, in whole seconds since 1970. Both algorithms are deterministic: at the same time the same message gets the same bytes. */
  timestamp: number;
  /** `hashBody` of the body, where it is known. */
  bodyHash?: Buffer;
  /** Fields that stay unsigned because a server on the way replaces them, in lower case. Default: none. */
  except?: readonly string[];
}

/**
 * One DKIM-Signature field per key, in the order of the keys, each ending with CRLF: to be put in front of the header.
 * None signs another, so each can be verified alone. Without keys, an empty string.
 *
 * @throws when a key does not fit its algorithm
 */
export async function signDkim(
  message: UnsignedMessage,
  keys: readonly SigningKey[],
  options: SigningOptions,
): Promise<string> {
  if (keys.length === 0) return '';
  const { header, body } = message;
  // Latin-1 gives each byte back as it was, whatever the bytes mean.
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

/** What a signature says of a body: SHA-256 of its relaxed form. Of 30 MB it takes 50 ms and more. */
export function hashBody(body: Buffer): Buffer {
  return hash('sha256', relaxBody(body), 'buffer');
}

const signOffThread = promisify(sign);

/** @throws when the key does not fit its algorithm */
export function signInPool({ algorithm, privateKey }: SigningKey, data: Buffer): Promise<Buffer> {
  const isRsa = algorithm === 'rsa-sha256';
  // An RSA key would be taken for Ed25519 too, and give signatures that nobody can verify.
  if (privateKey.asymmetricKeyType !== (isRsa ? 'rsa' : 'ed25519'))
    throw new TypeError(`not a key for ${algorithm}`);
  // RFC 8463, section 3: what Ed25519 signs is the SHA-256 of the data.
  return isRsa
    ? signOffThread('sha256', data, privateKey)
    : signOffThread(null, hash('sha256', data, 'buffer'), privateKey);
}
