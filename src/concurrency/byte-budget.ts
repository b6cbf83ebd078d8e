/** Bounds the bytes that many hold at once. */

/** What one of the holders may have of a budget. */
export interface BudgetShare {
  /** Whose bytes count together. */
  holder: string;
  maxBytes: number;
  /** The error when no more may be held. */
  refusal(): Error;
}

/** A hold of no more bytes than this may use a budget and its shares up; the others leave it a quarter. */
export const SMALL_BYTES = 64 * 1024;
export const LARGE_PART = 0.75;

/**
 * So many bytes in all, and of each holder no more than its share. Nobody waits for bytes: who cannot have more is refused and
 * gives back what it holds, so that others come to an end. What is large cannot keep what is small out.
 */
export class ByteBudget {
  readonly #whole: Omit<BudgetShare, 'holder'>;
  readonly #byHolder = new Map<string, number>();
  #bytes = 0;

  constructor(whole: Omit<BudgetShare, 'holder'>) {
    this.#whole = whole;
  }

  /** Bytes that are held at the moment. */
  get bytes(): number {
    return this.#bytes;
  }

  /** A hold of no bytes yet, which count in each of the shares. */
  open(shares: readonly BudgetShare[]): ByteReservation {
    let held = 0;
    const resize = (bytes: number): void => {
      const more = bytes - held;
      if (more > 0) this.#refuseTooMuch(shares, bytes, more);
      for (const { holder } of shares) {
        const left = (this.#byHolder.get(holder) ?? 0) + more;
        if (left === 0) this.#byHolder.delete(holder);
        else this.#byHolder.set(holder, left);
      }
      this.#bytes += more;
      held = bytes;
    };
    return { resize };
  }

  #refuseTooMuch(shares: readonly BudgetShare[], bytes: number, more: number): void {
    const part = bytes <= SMALL_BYTES ? 1 : LARGE_PART;
    for (const { holder, maxBytes, refusal } of shares) {
      if ((this.#byHolder.get(holder) ?? 0) + more > maxBytes * part) throw refusal();
    }
    if (this.#bytes + more > this.#whole.maxBytes * part) throw this.#whole.refusal();
  }
}

export interface ByteReservation {
  /**
   * Holds as many bytes from now on; with 0 the hold is over.
   * @throws the refusal of the share, or of the whole, that does not have so many more; what was held before still is
   */
  resize(bytes: number): void;
}
