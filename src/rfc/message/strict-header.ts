/**
 * The header of a message that is to be sent (RFC 5322, section 2.2). Readers disagree on what is not quite a header: some skip a line that
 * is no field, for others the body begins there. So such a header is not taken, and of one that is all readers find the same fields.
 */
import { isUtf8 } from 'node:buffer';
import { trimBlanks } from '../trim-blanks.ts';

export interface StrictField {
  /** In lower case. */
  readonly name: string;
  /** Where it begins, and where the next line begins behind it. */
  readonly start: number;
  readonly end: number;
  /** Behind its colon. */
  readonly valueStart: number;
}

export type StrictHeader =
  | {
      readonly fields: readonly StrictField[];
      /** Behind the empty line; the length of the message where there is none. */
      readonly bodyStart: number;
      /** What is wrong with it, for its sender. */
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

/** @param message with CRLF line ends alone. In time proportional to the header. */
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
          fault: `line ${line} of the header is no field: write Name: value, and an empty line behind the last one`,
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
  // Attack: where a NUL stands, some readers end the line.
  if (message.subarray(0, bodyStart).includes(0)) return { fault: 'the header has a NUL in it' };
  return { fields, bodyStart };
}

/** The position of the colon behind a name (RFC 5322, section 3.6.8), with nothing between them; -1: there is none. */
function endOfName(message: Buffer, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const octet = message[at] as number;
    if (octet === COLON) return at === start ? -1 : at;
    if (octet < FIRST_OF_NAME || octet > LAST_OF_NAME) return -1;
  }
  return -1;
}

/** Unfolded, without space around it; null: it is not UTF-8. */
export function strictValue(message: Buffer, { valueStart, end }: StrictField): string | null {
  const octets = message.subarray(valueStart, end);
  return isUtf8(octets) ? trimBlanks(octets.toString('utf8').replaceAll('\r\n', '')) : null;
}
