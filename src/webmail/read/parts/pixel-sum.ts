import { createHash } from 'node:crypto';

/** Maximum number of pixels in all images of a message: about twenty photographs. */
const MAX_PIXELS = 300_000_000;

/**
 * Limits the pixels that a browser must hold for the images of one message. Attack: a hundred images, each within the limit for one image.
 */
export class PixelSum {
  readonly #admitted = new Set<string>();
  #left = MAX_PIXELS;

  /**
   * Counts each image once, but again if its number of pixels changes. Attack: a server that first returns a small image, and later a large
   * image for the same URL.
   * @param picture identifies the image; may be of any length
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
