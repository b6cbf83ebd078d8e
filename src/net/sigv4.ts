/**
 * AWS Signature Version 4 in the Authorization header. Supports only paths that need no encoding, because SES and S3 are called with no
 * others.
 */
import { createHmac, hash } from 'node:crypto';

export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
}

export interface SignableRequest {
  method: string;
  /** The path without the query. May contain only unreserved characters and slashes. */
  path: string;
  /** The query as `queryOf` writes it. Default: none. */
  query?: string;
  /** Headers by lower-case name. All headers are signed. Must include `host` and `x-amz-date`. */
  headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body, in hexadecimal. */
  bodyHash: string;
}

/** A signature is valid only for one region and one service, and for the day of the request. */
export interface SigningScope {
  region: string;
  service: string;
}

/** The time in the format of `x-amz-date`: `20150830T123600Z`. */
export function amzDate(time: Date): string {
  return `${time.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

/** Writes a query in canonical form, as signing requires: sorted by name and fully encoded. */
export function queryOf(parameters: Readonly<Record<string, string>>): string {
  return Object.keys(parameters)
    .sort()
    .map((name) => `${encode(name)}=${encode(parameters[name] ?? '')}`)
    .join('&');
}

/** Percent-encodes all but the unreserved characters (RFC 3986, section 2.3). */
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
