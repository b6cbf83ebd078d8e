/** A limit on the bytes that several holders together keep in memory. */

/** The part of a budget that one holder may use. */
export interface BudgetShare {
  /** The name of the holder. Reservations with the same holder share one limit. */
  holder: string;
  maxBytes: number;
  /** Makes the error that is thrown if the share does not have enough bytes left. */
  makeError(): Error;
}

/** Only reservations up to this size may use the last quarter of a budget and of its shares. */
export const SMALL_BYTES = 64 * 1024;
export const LARGE_PART = 0.75;

/**
 * Limits the total bytes and the bytes of each holder. Callers never wait for bytes, because they might wait for each other forever.
 * Instead, a resize that exceeds a limit throws, and its caller gives up and releases its reservation. Large reservations cannot starve
 * small reservations.
 */
export class ByteBudget {
  readonly #whole: Omit<BudgetShare, 'holder'>;
  readonly #byHolder = new Map<string, number>();
  #bytes = 0;

  constructor(whole: Omit<BudgetShare, 'holder'>) {
    this.#whole = whole;
  }

  /** The bytes that are currently reserved. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Opens an empty reservation. Its bytes count against each share in the list. */
  open(shares: readonly BudgetShare[]): ByteReservation {
    let reserved = 0;
    const resize = (bytes: number): void => {
      const more = bytes - reserved;
      if (more > 0) this.#refuseTooMuch(shares, bytes, more);
      for (const { holder } of shares) {
        const left = (this.#byHolder.get(holder) ?? 0) + more;
        if (left === 0) this.#byHolder.delete(holder);
        else this.#byHolder.set(holder, left);
      }
      this.#bytes += more;
      reserved = bytes;
    };
    return { resize };
  }

  #refuseTooMuch(shares: readonly BudgetShare[], bytes: number, more: number): void {
    const part = bytes <= SMALL_BYTES ? 1 : LARGE_PART;
    for (const { holder, maxBytes, makeError } of shares) {
      if ((this.#byHolder.get(holder) ?? 0) + more > maxBytes * part) throw makeError();
    }
    if (this.#bytes + more > this.#whole.maxBytes * part) throw this.#whole.makeError();
  }
}

export interface ByteReservation {
  /**
   * Changes the size of the reservation; 0 ends it.
   * @throws the error of the exhausted share or budget (`makeError`). The reservation keeps its old size
   */
  resize(bytes: number): void;
}
