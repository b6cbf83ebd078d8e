/** Writes DER (X.690, section 10): the types that certificates and certificate signing requests need. */

type Octets = Buffer | Uint8Array;

function tagged(tag: number, content: readonly Octets[]): Buffer {
  const octets = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), lengthOf(octets.length), octets]);
}

function lengthOf(octets: number): Buffer {
  if (octets < 0x80) return Buffer.from([octets]);
  const hex = octets.toString(16);
  const digits = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.from([0x80 | digits.length]), digits]);
}

export const sequence = (...content: Octets[]): Buffer => tagged(0x30, content);
export const set = (...content: Octets[]): Buffer => tagged(0x31, content);
export const octetString = (octets: Octets): Buffer => tagged(0x04, [octets]);
/** A BIT STRING of whole octets. */
export const bitString = (octets: Octets): Buffer => tagged(0x03, [Buffer.from([0]), octets]);
export const utf8String = (text: string): Buffer => tagged(0x0c, [Buffer.from(text)]);
export const TRUE = tagged(0x01, [Buffer.from([0xff])]);

/** An INTEGER. @param octets a positive number, the most significant octet first */
export function integer(octets: Octets): Buffer {
  const first = octets.findIndex((octet) => octet !== 0);
  const digits = first === -1 ? Buffer.from([0]) : octets.subarray(first);
  // If the first bit were set, the number would be negative.
  return tagged(0x02, (digits[0] ?? 0) >= 0x80 ? [Buffer.from([0]), digits] : [digits]);
}

/** An OBJECT IDENTIFIER. @param dotted an identifier such as `1.2.840.10045.4.3.2` */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const base128 = (number: number): number[] =>
    number < 0x80
      ? [number]
      : [...base128(Math.floor(number / 0x80)).map((digit) => digit | 0x80), number % 0x80];
  return tagged(0x06, [Buffer.from([first * 40 + second, ...rest.flatMap(base128)])]);
}

/** A time in whole seconds, as in certificates. Years before 2050 have two digits (RFC 5280, section 4.1.2.5). */
export function time(at: Date): Buffer {
  const digits = `${at.toISOString().replaceAll(/[-:T]|\.\d+Z$/g, '')}Z`;
  return at.getUTCFullYear() < 2050
    ? tagged(0x17, [Buffer.from(digits.slice(2))])
    : tagged(0x18, [Buffer.from(digits)]);
}

/** An explicit tag `[number]` around a complete value. */
export const explicit = (number: number, ...content: Octets[]): Buffer => tagged(0xa0 | number, content);
/** An implicit tag `[number]` that replaces the tag of a primitive value. */
export const implicit = (number: number, octets: Octets): Buffer => tagged(0x80 | number, [octets]);
