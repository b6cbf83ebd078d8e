/**
 * The terms of a segment in one text, one per line, with the position of each term's documents in the postings. One substring search finds
 * all terms that contain a text.
 *
 * Octets:
 * - three little-endian numbers of 32 bits: the lengths of the text, of the blocks and of the list of lengths;
 * - the text, which begins and ends with a line end;
 * - a block for every 64 terms: the positions of its first term in the text, in the list of lengths and in the postings;
 * - the list of lengths: the length of each term's postings (LEB128).
 */
const BLOCK = 64;
const HEADER = 12;
const ENTRY = 12;
const LINE = 0x0a;

export function packTerms(names: readonly string[], lengths: readonly number[]): Buffer {
  const text = Buffer.from(['', ...names, ''].join('\n'));
  const blocks = Buffer.alloc(Math.ceil(names.length / BLOCK) * ENTRY);
  const packed: number[] = [];
  let textAt = 1;
  let postingsAt = 0;
  for (const [n, name] of names.entries()) {
    if (n % BLOCK === 0) {
      const entry = (n / BLOCK) * ENTRY;
      blocks.writeUInt32LE(textAt, entry);
      blocks.writeUInt32LE(packed.length, entry + 4);
      blocks.writeUInt32LE(postingsAt, entry + 8);
    }
    let length = lengths[n] as number;
    postingsAt += length;
    textAt += Buffer.byteLength(name) + 1;
    for (; length >= 0x80; length >>>= 7) packed.push((length & 0x7f) | 0x80);
    packed.push(length);
  }
  const header = Buffer.alloc(HEADER);
  for (const [n, { length }] of [text, blocks, packed].entries()) header.writeUInt32LE(length, n * 4);
  return Buffer.concat([header, text, blocks, Buffer.from(packed)]);
}

/** The position of a term's documents in the postings. */
export interface PostingsRange {
  start: number;
  length: number;
}

export class TermList {
  readonly #text: Buffer;
  readonly #blocks: Buffer;
  readonly #lengths: Buffer;

  constructor(octets: Buffer) {
    const lengths = [0, 4, 8].map((at) => octets.readUInt32LE(at)) as [number, number, number];
    const blocksAt = HEADER + lengths[0];
    this.#text = octets.subarray(HEADER, blocksAt);
    this.#blocks = octets.subarray(blocksAt, blocksAt + lengths[1]);
    this.#lengths = octets.subarray(blocksAt + lengths[1], blocksAt + lengths[1] + lengths[2]);
  }

  /** Finds the terms that contain a text, in order. */
  *find({
    text,
    isBegin,
    isEnd,
  }: {
    text: string;
    isBegin: boolean;
    isEnd: boolean;
  }): Generator<PostingsRange> {
    const pattern = Buffer.from(`${isBegin ? '\n' : ''}${text}${isEnd ? '\n' : ''}`);
    for (let at = 0; ; ) {
      const found = this.#text.indexOf(pattern, at);
      if (found === -1) return;
      const inside = isBegin ? found + 1 : found;
      yield this.#rangeAt(this.#text.lastIndexOf(LINE, inside - 1) + 1);
      // The line end may be the beginning of the next match.
      at = this.#text.indexOf(LINE, inside);
    }
  }

  /** All terms, in the order in which they were packed. */
  *all(): Generator<{ name: string } & PostingsRange> {
    let lengthAt = 0;
    let start = 0;
    for (let at = 1; at < this.#text.length; ) {
      const end = this.#text.indexOf(LINE, at);
      const [length, next] = this.#lengthAt(lengthAt);
      yield { name: this.#text.toString('utf8', at, end), start, length };
      start += length;
      lengthAt = next;
      at = end + 1;
    }
  }

  #rangeAt(termStart: number): PostingsRange {
    const entry = this.#blockBefore(termStart) * ENTRY;
    let textAt = this.#blocks.readUInt32LE(entry);
    let lengthAt = this.#blocks.readUInt32LE(entry + 4);
    let start = this.#blocks.readUInt32LE(entry + 8);
    for (;;) {
      const [length, next] = this.#lengthAt(lengthAt);
      lengthAt = next;
      if (textAt === termStart) return { start, length };
      start += length;
      textAt = this.#text.indexOf(LINE, textAt) + 1;
    }
  }

  /** @returns the length, and the position of the next length */
  #lengthAt(at: number): [length: number, next: number] {
    let length = 0;
    for (let shift = 0, next = at; ; shift += 7) {
      const octet = this.#lengths[next++] as number;
      length |= (octet & 0x7f) << shift;
      if (octet < 0x80) return [length, next];
    }
  }

  /** The last block that begins at or before a position in the text. */
  #blockBefore(position: number): number {
    let low = 0;
    let high = this.#blocks.length / ENTRY - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#blocks.readUInt32LE(middle * ENTRY) <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
