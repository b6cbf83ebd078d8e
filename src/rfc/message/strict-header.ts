/**
 * Reads the header of an outgoing message (RFC 5322, section 2.2), and rejects a malformed header, so that all parsers find the same fields
 * in an accepted header. At a line that is not a field, for example, some parsers skip the line and other parsers begin the body.
 */
import { isUtf8 } from 'node:buffer';
import { trimBlanks } from '../trim-blanks.ts';

export interface StrictField {
  /** The name of the field in lower case. */
  readonly name: string;
  /** The position of the first octet of the field. `end` is the start of the line after the field. */
  readonly start: number;
  readonly end: number;
  /** The position after the colon. */
  readonly valueStart: number;
}

export type StrictHeader =
  | {
      readonly fields: readonly StrictField[];
      /** The position after the empty line, or the length of the message if there is no empty line. */
      readonly bodyStart: number;
      /** The fault in the header, described for the sender. */
      readonly fault?: never;
    }
  | { readonly fault: string };

const MAX_FIELDS = 2_000;
const MAX_OCTETS = 262_144;

const SPACE = 0x20;
const TAB = 0x09;
const COLON = 0x3a;
const FIRST_OF_NAME = 0x21;
const LAST_OF_NAME = 0x7e;

/** Reads the header, in time proportional to its length. @param message a message in which all line ends are CRLF */
export function readStrictHeader(message: Buffer): StrictHeader {
  const fields: StrictField[] = [];
  for (let at = 0, line = 1; at < message.length; line++) {
    const lineEnd = message.indexOf('\r\n', at, 'latin1');
    if (lineEnd === at) return checked(message, fields, at + 2);
    const next = lineEnd === -1 ? message.length : lineEnd + 2;
    if (next > MAX_OCTETS) return { fault: `the header is longer than ${MAX_OCTETS} octets` };
    const last = fields.at(-1);
    if (message[at] === SPACE || message[at] === TAB) {
      if (last === undefined) return { fault: 'the header begins with a space' };
      fields[fields.length - 1] = { ...last, end: next };
    } else {
      const colon = endOfName(message, at, next);
      if (colon === -1)
        return {
          fault: `line ${line} of the header is not a field: write Name: value, and an empty line after the last field`,
        };
      if (fields.length === MAX_FIELDS) return { fault: `the header has more than ${MAX_FIELDS} fields` };
      const name = message.toString('latin1', at, colon).toLowerCase();
      fields.push({ name, start: at, end: next, valueStart: colon + 1 });
    }
    at = next;
  }
  return checked(message, fields, message.length);
}

function checked(message: Buffer, fields: readonly StrictField[], bodyStart: number): StrictHeader {
  // Attack: some parsers end a line at a NUL.
  if (message.subarray(0, bodyStart).includes(0)) return { fault: 'the header contains a NUL' };
  return { fields, bodyStart };
}

/** The position of the colon that directly follows a field name (RFC 5322, section 3.6.8), or -1. */
function endOfName(message: Buffer, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const octet = message[at] as number;
    if (octet === COLON) return at === start ? -1 : at;
    if (octet < FIRST_OF_NAME || octet > LAST_OF_NAME) return -1;
  }
  return -1;
}

/** The unfolded value of a field, without space at the ends. Null if the value is not UTF-8. */
export function strictValue(message: Buffer, { valueStart, end }: StrictField): string | null {
  const octets = message.subarray(valueStart, end);
  return isUtf8(octets) ? trimBlanks(octets.toString('utf8').replaceAll('\r\n', '')) : null;
}
