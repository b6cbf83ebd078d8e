import type { Entity } from './entity.ts';
import { readOctets } from './header.ts';

/**
 * The octets of a leaf with its transfer encoding undone (RFC 2045, section 6), from at most `maxOctets` encoded ones.
 * Never throws: octets that the encoding does not allow are skipped (base64) or kept (quoted-printable).
 */
function decodeBody(raw: Buffer, entity: Entity, maxOctets: number): Buffer {
  const body = raw.subarray(entity.bodyStart, Math.min(entity.end, entity.bodyStart + maxOctets));
  if (entity.transferEncoding === 'base64') return Buffer.from(body.toString('latin1'), 'base64');
  if (entity.transferEncoding === 'quoted-printable') return decodeQuotedPrintable(body);
  return body;
}

/** The text of a leaf in its charset, with LF for each line end, from at most `maxOctets` encoded octets. Never throws. */
export function decodeText(raw: Buffer, entity: Entity, maxOctets: number): string {
  const octets = decodeBody(raw, entity, maxOctets);
  return decodeCharset(octets, entity.parameters.get('charset') ?? '').replace(/\r\n?/g, '\n');
}

/** US-ASCII is not among them: a sender who names it and sends other octets means another charset. */
const UNNAMED = new Set(['', 'us-ascii', 'ascii', 'utf-8', 'utf8', 'unknown-8bit', 'default', 'x-unknown']);

/** Octets as text. An unknown charset is guessed; octets that are not of the charset become U+FFFD. Never throws. */
export function decodeCharset(octets: Uint8Array, charset: string): string {
  const name = charset.trim().toLowerCase();
  if (UNNAMED.has(name)) return guess(octets);
  try {
    return new TextDecoder(name.startsWith('cp125') ? `windows-${name.slice(2)}` : name).decode(octets);
  } catch {
    return guess(octets);
  }
}

/** ESC $ or ESC (, by which ISO-2022-JP changes its sets: all of its octets are ASCII. */
const ISO_2022_JP = /\x1b(?:\$[@B]|\([JB])/;

function guess(octets: Uint8Array): string {
  const text = readOctets(octets);
  return ISO_2022_JP.test(text) ? new TextDecoder('iso-2022-jp').decode(octets) : text;
}

const EQUALS = 0x3d;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;

/** Octets behind `=` that are no pair of digits stay as they are. */
export function decodeQuotedPrintable(body: Uint8Array): Buffer {
  const out = Buffer.allocUnsafe(body.length);
  let length = 0;
  for (let at = 0; at < body.length; at++) {
    const octet = body[at] as number;
    if (octet !== EQUALS) {
      out[length++] = octet;
      continue;
    }
    const high = hexDigit(body[at + 1]);
    const low = hexDigit(body[at + 2]);
    if (high !== -1 && low !== -1) {
      out[length++] = high * 16 + low;
      at += 2;
      continue;
    }
    const next = softLineEnd(body, at + 1);
    if (next === -1) out[length++] = octet;
    else at = next - 1;
  }
  return out.subarray(0, length);
}

/** Bounds how much space at the end of a line, which a server may have added, is looked at. */
const MAX_PADDING = 80;

/** The position behind the line end of a soft line break, or -1. */
function softLineEnd(body: Uint8Array, from: number): number {
  let at = from;
  const limit = Math.min(body.length, from + MAX_PADDING);
  while (at < limit && (body[at] === SPACE || body[at] === TAB)) at++;
  if (body[at] === CR) at++;
  if (body[at] === LF) return at + 1;
  return at >= body.length ? body.length : -1;
}

function hexDigit(octet: number | undefined): number {
  if (octet === undefined) return -1;
  if (octet >= 0x30 && octet <= 0x39) return octet - 0x30;
  const lower = octet | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
