const LF = 0x0a;
const BLOCK = 65_536;

/** Counts lines of ranges that lie within each other, in one pass over the octets and a block for each range. */
export class LineCounter {
  readonly #raw: Buffer;
  /** Line feeds before each block. */
  readonly #before: number[] = [0];

  constructor(raw: Buffer) {
    this.#raw = raw;
  }

  /** Line feeds between two positions: a last line without one does not count, as with Dovecot. */
  count(start: number, end: number): number {
    if (end <= start) return 0;
    return this.#feedsBefore(end) - this.#feedsBefore(start);
  }

  #feedsBefore(at: number): number {
    const block = Math.floor(at / BLOCK);
    for (let known = this.#before.length; known <= block; known++) {
      const begin = (known - 1) * BLOCK;
      this.#before.push((this.#before[known - 1] as number) + feedsIn(this.#raw, begin, begin + BLOCK));
    }
    return (this.#before[block] as number) + feedsIn(this.#raw, block * BLOCK, at);
  }
}

function feedsIn(raw: Buffer, start: number, end: number): number {
  let feeds = 0;
  for (let at = start; at < end; at++) if (raw[at] === LF) feeds++;
  return feeds;
}
