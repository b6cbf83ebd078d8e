import { createHash } from 'node:crypto';

/** Of all pictures of a message: twenty photographs. */
const MAX_PIXELS = 300_000_000;

/** What a browser has to hold of the pictures of one message. Attack: a hundred, each of which is small enough. */
export class PixelSum {
  readonly #admitted = new Set<string>();
  #left = MAX_PIXELS;

  /**
   * The same one is not counted again. Attack: a server that gives a small one first, and later a large one for it.
   * @param picture what tells it from others, however long
   */
  admits(picture: string, pixels: number): boolean {
    const key = createHash('sha256').update(`${pixels} `).update(picture).digest('base64url');
    if (this.#admitted.has(key)) return true;
    if (pixels > this.#left) return false;
    this.#left -= pixels;
    this.#admitted.add(key);
    return true;
  }
}
