import { type Entity, type EntityLimits, readEntity } from './entity.ts';

/** Limits on the search for parts. A part that exceeds a limit counts as one file. */
const LIMITS: EntityLimits = {
  depth: 32,
  parts: 1_000,
  header: { octets: 4_194_304, value: 4_096 },
  insideMessages: true,
};

const EQUALS = 0x3d;
const CR = 0x0d;
const LF = 0x0a;
/** For each octet: 1 if it is a base64 letter (RFC 2045, section 6.8). */
const IS_BASE64 = new Uint8Array(256);
for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
  IS_BASE64[letter.charCodeAt(0)] = 1;

/**
 * The decoded size, in octets, of the largest part of a message, including parts of messages inside the message. Never throws, takes time
 * proportional to the message, and never underestimates a part.
 */
export function largestFile(raw: Buffer): number {
  return largestIn(raw, readEntity(raw, LIMITS));
}

function largestIn(raw: Buffer, entity: Entity): number {
  const { parts, message, bodyStart, end, transferEncoding, truncated } = entity;
  // RFC 2045, section 6.4 forbids these encodings for multiparts. Strict clients show such a multipart as one file.
  if (truncated || transferEncoding === 'base64' || transferEncoding === 'quoted-printable')
    return decodedSize(raw.subarray(bodyStart, end), truncated ? '' : transferEncoding);
  if (message !== null) return largestIn(raw, message);
  if (parts.length === 0) return end - bodyStart;
  let largest = 0;
  for (const part of parts) largest = Math.max(largest, largestIn(raw, part));
  return largest;
}

function decodedSize(body: Buffer, encoding: string): number {
  if (encoding === 'base64') return base64Size(body);
  return encoding === 'quoted-printable' ? quotedPrintableSize(body) : body.length;
}

function base64Size(body: Buffer): number {
  let letters = 0;
  for (let at = 0; at < body.length; at++) letters += IS_BASE64[body[at] as number] as number;
  return Math.floor((letters * 3) / 4);
}

/** The decoded size of quoted-printable. An equals sign that begins neither an escape nor a soft line break is literal. */
function quotedPrintableSize(body: Buffer): number {
  let size = body.length;
  for (let at = body.indexOf(EQUALS); at !== -1; at = body.indexOf(EQUALS, at + 1)) {
    if (body[at + 1] === CR && body[at + 2] === LF) size -= 3;
    else if (isHex(body[at + 1]) && isHex(body[at + 2])) size -= 2;
  }
  return size;
}

function isHex(octet: number | undefined): boolean {
  return octet !== undefined && /[0-9A-Fa-f]/.test(String.fromCharCode(octet));
}
