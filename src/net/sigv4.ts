/**
 * AWS Signature Version 4 in the Authorization header, for requests with a path that needs no encoding: all that the APIs of SES and
 * S3 take here.
 */
import { createHmac, hash } from 'node:crypto';

export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
}

export interface SignableRequest {
  method: string;
  /** Unreserved characters and slashes only, without the query. */
  path: string;
  /** As `queryOf` writes it. Default: none. */
  query?: string;
  /** In lower case. All of them are signed; `host` and `x-amz-date` must be among them. */
  headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body, in hexadecimal. */
  bodyHash: string;
}

/** Where a signature is valid: in one region, for one service (and on one day). */
export interface SigningScope {
  region: string;
  service: string;
}

/** The time as `x-amz-date` has it: `20150830T123600Z`. */
export function amzDate(time: Date): string {
  return `${time.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

/** A query in the one form that can be signed: in the order of the names, and encoded throughout. */
export function queryOf(parameters: Readonly<Record<string, string>>): string {
  return Object.keys(parameters)
    .sort()
    .map((name) => `${encode(name)}=${encode(parameters[name] ?? '')}`)
    .join('&');
}

/** All but the unreserved characters (RFC 3986, section 2.3). */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The value of the Authorization header. */
export function authorization(
  request: SignableRequest,
  { accessKeyId, secretAccessKey }: AwsCredentials,
  { region, service }: SigningScope,
): string {
  const { method, path, query = '', headers, bodyHash } = request;
  const names = Object.keys(headers).sort();
  const signedHeaders = names.join(';');
  const canonicalHeaders = names.map((name) => `${name}:${trimmed(headers[name] ?? '')}\n`).join('');
  const canonical = [method, path, query, canonicalHeaders, signedHeaders, bodyHash].join('\n');
  const time = headers['x-amz-date'] ?? '';
  const date = time.slice(0, 8);
  const scope = `${date}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', time, scope, hash('sha256', canonical)].join('\n');
  const key = [date, region, service, 'aws4_request'].reduce<string | Buffer>(
    (under, part) => hmac(under, part),
    `AWS4${secretAccessKey}`,
  );
  const signature = hmac(key, text).toString('hex');
  return `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
}

function trimmed(value: string): string {
  return value.trim().replaceAll(/ +/g, ' ');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
