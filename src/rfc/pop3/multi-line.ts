/**
 * Writes a message as a multi-line response (RFC 1939, section 3). Every line ends with CRLF, and a line that begins with a dot gets a
 * second dot. A bare LF is a line end, a bare CR is content.
 */

const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;

/** The number of octets by which a message grows if each line, including the last, ends with CRLF (RFC 1939, section 11). */
export function crlfGrowth(raw: Uint8Array): number {
  let bare = 0;
  for (let at = raw.indexOf(LF); at !== -1; at = raw.indexOf(LF, at + 1)) if (raw[at - 1] !== CR) bare += 1;
  return bare + (raw.length === 0 || raw.at(-1) === LF ? 0 : 2);
}

/** Converts a message, piece by piece. */
export class MultiLine {
  /** The last octet of the previous piece. */
  #last = LF;

  /** Converts a piece. Returns the same `Buffer` if nothing changes. */
  push(piece: Buffer): Buffer {
    const more = this.#inserted(piece, null);
    const lines = more === 0 ? piece : Buffer.allocUnsafe(piece.length + more);
    if (more > 0) this.#inserted(piece, lines);
    this.#last = piece.at(-1) ?? this.#last;
    return lines;
  }

  /** Returns the text to send after the last piece. */
  end(): string {
    return this.#last === LF ? '.\r\n' : '\r\n.\r\n';
  }

  /** Counts the octets to insert into the piece. @param to a buffer to which the converted piece is written; null to only count */
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

/** The part of a message that TOP returns: the header, the empty line, and a number of lines of the body (RFC 1939, section 7). */
export class TopOfMessage {
  #linesLeft: number;
  #inHeader = true;
  #isLineEmpty = true;

  constructor(lines: number) {
    this.#linesLeft = lines;
  }

  /** Returns the beginning of the piece that belongs to the response. If the result is shorter than the piece, the response is complete. */
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
