import type { Entity } from './entity.ts';
import { readOctets } from './header.ts';
import { decodeQuotedPrintable } from './quoted-printable.ts';

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
