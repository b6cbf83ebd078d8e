/** Checks whether a stream of octets can be part of a message without encoding (RFC 5322, section 2.1.1). */

const LF = 0x0a;
const NUL = 0x00;
const MAX_LINE = 990;

export class WholeLines {
  #line = 0;
  #isFit = true;

  add(octets: Buffer): void {
    if (!this.#isFit) return;
    if (octets.includes(NUL)) this.#isFit = false;
    let start = 0;
    for (let at = octets.indexOf(LF); at !== -1; at = octets.indexOf(LF, start)) {
      this.#end(at - start);
      start = at + 1;
    }
    this.#line += octets.length - start;
  }

  /** Whether all lines are short enough, and no octet would be changed in transit. */
  isFit(): boolean {
    this.#end(0);
    return this.#isFit;
  }

  #end(more: number): void {
    if (this.#line + more > MAX_LINE) this.#isFit = false;
    this.#line = 0;
  }
}
