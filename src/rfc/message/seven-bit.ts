/** Converts messages for servers that accept only ASCII, which RFC 6152, section 3 requires of a client. */
import { isAscii } from 'node:buffer';
import { formatMailbox, parseMailbox, readAddressList } from '../address/index.ts';
import { decodeEncodedWords, type Entity, readEntity, readParameterizedValue } from '../mime/index.ts';
import { addressField } from './address-field.ts';
import { parameter } from './parameter.ts';
import { readStrictHeader } from './strict-header.ts';
import { otherField } from './text-field.ts';
import { encodeBase64 } from './transfer-encoding.ts';

const LIMITS = {
  depth: 20,
  parts: 1_000,
  header: { octets: 1_048_576, value: 16_384 },
  insideMessages: true,
} as const;
/** The fields that consist of a value with parameters. */
const PARAMETERIZED = new Set(['content-type', 'content-disposition']);
const ADDRESSES = new Set(['from', 'sender', 'reply-to', 'to', 'cc']);
const MAX_ADDRESSES = 1_000;
const IDENTITY = new Set(['7bit', '8bit', 'binary']);
const ENCODING = 'content-transfer-encoding';
const CRLF = Buffer.from('\r\n');

/** Why a message is not converted. */
class Unconvertible extends Error {}

/**
 * Encodes parts with octets above 127 in base64, in which no line looks like a boundary, and such header fields in encoded words. All other
 * octets stay.
 * @param message all line ends are CRLF
 * @returns null if the message cannot be converted: such an octet is in a part that is signed, or in a structure that was not understood
 */
export function toSevenBit(message: Buffer): Buffer | null {
  try {
    const pieces = converted(message, readEntity(message, LIMITS));
    const data = Buffer.concat(pieces);
    return isAscii(data) ? data : null;
  } catch (error) {
    if (error instanceof Unconvertible) return null;
    throw error;
  }
}

/** @throws Unconvertible */
function converted(message: Buffer, entity: Entity): Buffer[] {
  const { start, bodyStart, end, type, parts, message: inside } = entity;
  const whole = message.subarray(start, end);
  if (isAscii(whole)) return [whole];
  // A signature covers the octets of the part beside it (RFC 1847, section 2.1).
  if (type === 'multipart/signed' || entity.truncated) throw new Unconvertible();
  const body = message.subarray(bodyStart, end);
  if (isAscii(body)) return [headerOf(message, entity, null), body];
  if (inside !== null) return [headerOf(message, entity, '7bit'), ...converted(message, inside)];
  if (parts.length > 0) {
    const pieces = [headerOf(message, entity, '7bit')];
    let at = bodyStart;
    for (const part of parts) {
      pieces.push(message.subarray(at, part.start), ...converted(message, part));
      at = part.end;
    }
    return [...pieces, message.subarray(at, end)];
  }
  // These types must not be encoded (RFC 2045, section 6.4; RFC 2046, section 5.2).
  if (type.startsWith('multipart/') || type.startsWith('message/')) throw new Unconvertible();
  if (!IDENTITY.has(entity.transferEncoding)) throw new Unconvertible();
  const pieces = [headerOf(message, entity, 'base64'), encodeBase64(body)];
  // The encoded octets include the last line end of the message.
  return end === message.length ? [...pieces, CRLF] : pieces;
}

/** The header in ASCII, with the empty line. @param encoding the new transfer encoding; null if it stays @throws Unconvertible */
function headerOf(message: Buffer, { start, bodyStart }: Entity, encoding: string | null): Buffer {
  const octets = message.subarray(start, bodyStart);
  const header = readStrictHeader(octets);
  if (header.fault !== undefined || header.bodyStart !== octets.length) throw new Unconvertible();
  const written: Buffer[] = [];
  for (const field of header.fields) {
    if (encoding !== null && field.name === ENCODING) continue;
    const whole = octets.subarray(field.start, field.end);
    written.push(isAscii(whole) ? whole : Buffer.from(asciiField(octets, field)));
  }
  if (encoding !== null) written.push(Buffer.from(`Content-Transfer-Encoding: ${encoding}\r\n`));
  if (start === 0 && header.fields.every(({ name }) => name !== 'mime-version'))
    written.push(Buffer.from('MIME-Version: 1.0\r\n'));
  return Buffer.concat([...written, CRLF]);
}

/** @throws Unconvertible */
function asciiField(
  octets: Buffer,
  { name, start, valueStart, end }: { name: string; start: number; valueStart: number; end: number },
): string {
  const spelled = octets.toString('latin1', start, valueStart - 1);
  const [field] = readEntity(Buffer.concat([octets.subarray(start, end), CRLF])).fields;
  if (field === undefined || spelled.length > 76) throw new Unconvertible();
  if (ADDRESSES.has(name)) return addressField(spelled, mailboxesOf(field.value));
  if (!PARAMETERIZED.has(name)) return otherField(spelled, field.value);
  const { value, parameters } = readParameterizedValue(field.value);
  return `${spelled}: ${value}${[...parameters].map(([key, text]) => parameter(key, text)).join('')}\r\n`;
}

/** @throws Unconvertible if an entry is not an address, or needs SMTPUTF8 */
function mailboxesOf(value: string) {
  const listed = readAddressList(value, MAX_ADDRESSES);
  if (listed.length === 0 || listed.length === MAX_ADDRESSES) throw new Unconvertible();
  return listed.map(({ name, localPart, domain }) => {
    const displayName = name === null ? null : decodeEncodedWords(name);
    const mailbox = parseMailbox(
      formatMailbox({ displayName, address: `${localPart ?? ''}@${domain ?? ''}` }),
    );
    if ('error' in mailbox || mailbox.unicode) throw new Unconvertible();
    return mailbox;
  });
}
