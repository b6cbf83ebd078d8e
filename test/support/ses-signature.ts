/** Verifies AWS Signature Version 4 of a received request, following AWS's documentation. Shares no code with the service. */
import { createHash, createHmac } from 'node:crypto';

export interface WireRequest {
  method: string;
  /** Path and query. */
  url: string;
  /** Names and values alternate, as in Node's `rawHeaders`. */
  rawHeaders: readonly string[];
  body: Buffer;
}

const MAX_SKEW_MS = 15 * 60_000;

/** @returns null for a valid signature, otherwise AWS's error */
export function signatureError(
  request: WireRequest,
  keys: Readonly<Record<string, string>>,
  scope: { region: string; service: string },
): { type: string; message: string } | null {
  const fields = new Map<string, string[]>();
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const name = String(request.rawHeaders[at]).toLowerCase();
    fields.set(name, [...(fields.get(name) ?? []), String(request.rawHeaders[at + 1])]);
  }
  const header = fields.get('authorization')?.[0] ?? '';
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(header);
  if (match === null) return { type: 'MissingAuthenticationToken', message: 'Missing Authentication Token' };
  const [, credential = '', signedHeaders = '', signature] = match;
  const [keyId = '', day = '', region, service, end] = credential.split('/');
  const secret = keys[keyId];
  if (secret === undefined)
    return {
      type: 'UnrecognizedClientException',
      message: 'The security token included in the request is invalid.',
    };
  const time = fields.get('x-amz-date')?.[0] ?? '';
  if (
    day !== time.slice(0, 8) ||
    region !== scope.region ||
    service !== scope.service ||
    end !== 'aws4_request'
  )
    return {
      type: 'SignatureDoesNotMatch',
      message: 'Credential should be scoped to correct service and region.',
    };
  const [, year, month, date, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(time) ?? [];
  const sentMs = Date.parse(`${year}-${month}-${date}T${hour}:${minute}:${second}Z`);
  if (!(Math.abs(Date.now() - sentMs) < MAX_SKEW_MS))
    return { type: 'RequestExpired', message: `Signature expired: ${time}` };
  const names = signedHeaders.split(';');
  if (names.join() !== names.toSorted().join() || !names.includes('host'))
    return { type: 'IncompleteSignature', message: 'SignedHeaders' };

  const [path = '', query = ''] = request.url.split('?');
  const canonical = [
    request.method,
    path,
    query.split('&').toSorted().join('&'),
    ...names.map((name) => `${name}:${(fields.get(name) ?? []).map(tidy).join(',')}`),
    '',
    signedHeaders,
    sha256(request.body),
  ].join('\n');
  let key: Buffer = Buffer.from(`AWS4${secret}`);
  for (const part of [day, scope.region, scope.service, 'aws4_request'])
    key = createHmac('sha256', key).update(part).digest();
  const expected = createHmac('sha256', key)
    .update(`AWS4-HMAC-SHA256\n${time}\n${day}/${scope.region}/${scope.service}/aws4_request\n`)
    .update(sha256(Buffer.from(canonical)))
    .digest('hex');
  return expected === signature
    ? null
    : {
        type: 'InvalidSignatureException',
        message: 'The request signature we calculated does not match the signature you provided.',
      };
}

function tidy(value: string): string {
  return value.trim().replace(/ {2,}/g, ' ');
}

function sha256(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}
