/**
 * A message as the lines of a multi-line response (RFC 1939, section 3): every line ends with CRLF, and one that begins with a dot gets a second
 * one. A bare LF is the end of a line; a bare CR is an octet like others.
 */

const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;

/** How many octets a message gains when each of its lines, the last one too, ends with CRLF (RFC 1939, section 11). */
export function crlfGrowth(raw: Uint8Array): number {
  let bare = 0;
  for (let at = raw.indexOf(LF); at !== -1; at = raw.indexOf(LF, at + 1)) if (raw[at - 1] !== CR) bare += 1;
  return bare + (raw.length === 0 || raw.at(-1) === LF ? 0 : 2);
}

/** Takes a message in pieces. */
export class MultiLine {
  /** The octet before the next piece. */
  #last = LF;

  /** The same Buffer where nothing has to change. */
  push(piece: Buffer): Buffer {
    const more = this.#inserted(piece, null);
    const lines = more === 0 ? piece : Buffer.allocUnsafe(piece.length + more);
    if (more > 0) this.#inserted(piece, lines);
    this.#last = piece.at(-1) ?? this.#last;
    return lines;
  }

  /** What follows the last piece. */
  end(): string {
    return this.#last === LF ? '.\r\n' : '\r\n.\r\n';
  }

  /** How many octets are put between those of the piece. @param to where all of them are written */
  #inserted(piece: Buffer, to: Buffer | null): number {
    let before = this.#last;
    let inserted = 0;
    for (let at = 0; at < piece.length; at++) {
      const octet = piece[at] as number;
      const extra = octet === LF ? before !== CR && CR : octet === DOT && before === LF && DOT;
      if (extra !== false) {
        if (to !== null) to[at + inserted] = extra;
        inserted += 1;
      }
      if (to !== null) to[at + inserted] = octet;
      before = octet;
    }
    return inserted;
  }
}

/** How much of a message TOP shows: its header, the empty line, and so many lines of its body (RFC 1939, section 7). */
export class TopOfMessage {
  #linesLeft: number;
  #inHeader = true;
  #isLineEmpty = true;

  constructor(lines: number) {
    this.#linesLeft = lines;
  }

  /** The begin of the piece that still belongs to it; shorter than the piece: this was all. */
  take(piece: Buffer): Buffer {
    for (let at = 0; at < piece.length; at++) {
      if (this.isOver) return piece.subarray(0, at);
      const octet = piece[at];
      if (octet !== LF) {
        if (octet !== CR) this.#isLineEmpty = false;
        continue;
      }
      if (!this.#inHeader) this.#linesLeft -= 1;
      else if (this.#isLineEmpty) this.#inHeader = false;
      this.#isLineEmpty = true;
    }
    return piece;
  }

  get isOver(): boolean {
    return !this.#inHeader && this.#linesLeft === 0;
  }
}
