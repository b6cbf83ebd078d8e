/** DER (X.690, section 10) as far as a request for a certificate needs it: values are written, none is read. */

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
/** Of whole octets. */
export const bitString = (octets: Octets): Buffer => tagged(0x03, [Buffer.from([0]), octets]);
export const utf8String = (text: string): Buffer => tagged(0x0c, [Buffer.from(text)]);
export const TRUE = tagged(0x01, [Buffer.from([0xff])]);

/** @param octets a positive number, the most significant octet first */
export function integer(octets: Octets): Buffer {
  const first = octets.findIndex((octet) => octet !== 0);
  const digits = first === -1 ? Buffer.from([0]) : octets.subarray(first);
  // A first bit that is set would make it negative.
  return tagged(0x02, (digits[0] ?? 0) >= 0x80 ? [Buffer.from([0]), digits] : [digits]);
}

/** @param dotted such as `1.2.840.10045.4.3.2` */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const base128 = (number: number): number[] =>
    number < 0x80
      ? [number]
      : [...base128(Math.floor(number / 0x80)).map((digit) => digit | 0x80), number % 0x80];
  return tagged(0x06, [Buffer.from([first * 40 + second, ...rest.flatMap(base128)])]);
}

/** In whole seconds, as certificates write it (RFC 5280, section 4.1.2.5): before 2050 without its century. */
export function time(at: Date): Buffer {
  const digits = `${at.toISOString().replaceAll(/[-:T]|\.\d+Z$/g, '')}Z`;
  return at.getUTCFullYear() < 2050
    ? tagged(0x17, [Buffer.from(digits.slice(2))])
    : tagged(0x18, [Buffer.from(digits)]);
}

/** `[number]` in front of a value, which stays in it whole. */
export const explicit = (number: number, ...content: Octets[]): Buffer => tagged(0xa0 | number, content);
/** `[number]` in place of the tag of a value without inner ones. */
export const implicit = (number: number, octets: Octets): Buffer => tagged(0x80 | number, [octets]);
