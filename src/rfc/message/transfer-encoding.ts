/** Encodes text for a MIME part: ASCII in short lines that end with CRLF (RFC 2045, section 6). */
import { encodeQuotedPrintable } from '../mime/quoted-printable.ts';

export interface EncodedText {
  encoding: '7bit' | 'quoted-printable' | 'base64';
  content: Buffer;
}

/**
 * The longest line that is sent unencoded. RFC 5322 allows 998 and recommends 78, for terminals. Some
 * servers break lines of 990 octets or more.
 */
const MAX_PLAIN_LINE = 900;
const BASE64_LINE = /.{1,76}/g;

const LF = 0x0a;
const CR = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;
const HYPHEN = 0x2d;
const EQUALS = 0x3d;
const DELETE = 0x7f;

const PLAIN = 0;
const ESCAPED_IN_QP = 1;
const NEVER_PLAIN = 2;
const LINE_FEED = 3;

const KIND = new Uint8Array(256).fill(NEVER_PLAIN, 0, SPACE).fill(NEVER_PLAIN, DELETE);
KIND[TAB] = PLAIN;
KIND[CR] = PLAIN;
KIND[LF] = LINE_FEED;
KIND[EQUALS] = ESCAPED_IN_QP;

const LINE_END = /\r\n?|\n/g;

/**
 * Normalizes line ends to CRLF. Text that servers pass on unchanged (short ASCII lines, for example) is sent as 7bit. Other text is sent as
 * quoted-printable or base64, whichever is shorter. No line of the result begins with `--=_`, which is reserved for boundaries.
 */
export function encodeText(text: string): EncodedText {
  const bytes = Buffer.from(toCrlf(text));
  const { isPlain, escapes } = measure(bytes);
  if (isPlain) return { encoding: '7bit', content: bytes };
  // Base64 writes 4 characters for 3 octets, and a line end after 76 characters. Quoted-printable writes 3 characters for an escaped octet,
  // and `=` and a line end after 75 characters.
  const base64Length = (bytes.length / 3) * 4 * (78 / 76);
  const quotedLength = (bytes.length + 2 * escapes) * (78 / 75);
  return quotedLength <= base64Length
    ? { encoding: 'quoted-printable', content: encodeQuotedPrintable(bytes) }
    : { encoding: 'base64', content: encodeBase64(bytes) };
}

/** A text in base64, with the fields of its part. */
export function base64Part(subtype: string, text: string): { fields: string; content: Buffer } {
  return {
    fields: `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n`,
    content: encodeBase64(Buffer.from(toCrlf(text))),
  };
}

function toCrlf(text: string): string {
  return text.includes('\r') ? text.replace(LINE_END, '\r\n') : text.replaceAll('\n', '\r\n');
}

function measure(bytes: Buffer): { isPlain: boolean; escapes: number } {
  let isPlain = !isFragileStart(bytes, 0);
  let escapes = 0;
  let lineStart = 0;
  for (let at = 0; at < bytes.length; at++) {
    const kind = KIND[bytes[at] as number];
    if (kind === PLAIN) continue;
    if (kind === LINE_FEED) {
      const end = at - 1;
      if (end - lineStart > MAX_PLAIN_LINE || endsWithSpace(bytes, end)) isPlain = false;
      lineStart = at + 1;
      if (isFragileStart(bytes, lineStart)) isPlain = false;
    } else {
      escapes++;
      if (kind === NEVER_PLAIN) isPlain = false;
    }
  }
  if (bytes.length - lineStart > MAX_PLAIN_LINE || endsWithSpace(bytes, bytes.length)) isPlain = false;
  return { isPlain, escapes };
}

/** Whether a line ends with a space or a tab, which some servers remove (RFC 2045, section 6.7, rule 3). */
function endsWithSpace(bytes: Buffer, end: number): boolean {
  return bytes[end - 1] === SPACE || bytes[end - 1] === TAB;
}

/** Whether a line begins with `From `, which mbox files quote with `>`, or with the start of a boundary. */
function isFragileStart(bytes: Buffer, at: number): boolean {
  const first = bytes[at];
  if (first === HYPHEN) return bytes[at + 1] === HYPHEN && bytes[at + 2] === EQUALS && bytes[at + 3] === 0x5f;
  return first === 0x46 && bytes.toString('latin1', at, at + 5) === 'From ';
}

/** Base64 in lines of 76 characters, without a line end after the last. */
export function encodeBase64(bytes: Buffer): Buffer {
  return Buffer.from((bytes.toString('base64').match(BASE64_LINE) ?? []).join('\r\n'), 'latin1');
}
