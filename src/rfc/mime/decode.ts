import { decodeCharset } from './charset.ts';
import type { Entity } from './entity.ts';
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
