/** Streaming base64 encoder with lines of 76 characters (RFC 2045, section 6.8). */

const LINE = 76;
const LINE_OCTETS = 57;
const CR = 0x0d;
const LF = 0x0a;
/** How many octets are encoded at a time, which takes a few milliseconds. */
const STEP = LINE_OCTETS * 8_192;

/** The length of the encoded text. */
export function encodedOctets(octets: number): number {
  if (octets === 0) return 0;
  const letters = Math.ceil(octets / 3) * 4;
  return letters + 2 * (Math.ceil(letters / LINE) - 1);
}

export async function* encodeBase64(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  let isFirst = true;
  const take = (octets: Buffer): Buffer => {
    const lines = inLines(octets, isFirst);
    isFirst = false;
    return lines;
  };
  for await (const piece of pieces) {
    const octets = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const whole = octets.length - (octets.length % LINE_OCTETS);
    for (let at = 0; at < whole; at += STEP) yield take(octets.subarray(at, Math.min(whole, at + STEP)));
    rest = Buffer.from(octets.subarray(whole));
  }
  if (rest.length > 0) yield take(rest);
}

/** The last line has no line end. @param isFirst if false, the text starts with a line end */
function inLines(octets: Buffer, isFirst: boolean): Buffer {
  const letters = Buffer.from(octets.toString('base64'), 'latin1');
  const lines = Math.ceil(letters.length / LINE);
  const text = Buffer.allocUnsafe(letters.length + 2 * (isFirst ? lines - 1 : lines));
  let to = 0;
  for (let at = 0; at < letters.length; at += LINE) {
    if (at > 0 || !isFirst) {
      text[to] = CR;
      text[to + 1] = LF;
      to += 2;
    }
    to += letters.copy(text, to, at, Math.min(letters.length, at + LINE));
  }
  return text;
}
