/** Fetches remote images on behalf of the reader. The sender learns only that an image was fetched. */
import type { GuardedClient } from '../../../net/guarded-client.ts';
import { unavailable } from '../../../model/app-error.ts';
import * as clock from '../../../model/clock.ts';
import { FairSlots } from '../../../concurrency/fair-slots.ts';
import { HEAD_BYTES, type Raster, readRaster } from '../parts/raster.ts';
import { TIMINGS } from '../timings.ts';

export interface RemoteImage {
  type: Raster;
  pixels: number;
  bytes: Buffer;
}

const MAX_IMAGE = 10 * 1_048_576;
const MAX_REDIRECTS = 3;
/** The maximum number of concurrent fetches of a process. One mailbox may use half of the slots. */
const SLOTS = 6;
const MAX_WAITING = 500;
/** The maximum octets in the cache. */
const MAX_CACHED = 24 * 1_048_576;
/** Larger images are not cached. */
const MAX_CACHED_ONE = 2 * 1_048_576;
/**
 * Headers that are the same for all readers and contain nothing from their browsers. Compression is not accepted, because a response could
 * be a decompression bomb.
 */
const HEADERS = {
  'user-agent': 'Mozilla/5.0 (compatible; Posthorn)',
  accept: 'image/*',
  'accept-encoding': 'identity',
};

export class RemoteImages {
  readonly #client: Pick<GuardedClient, 'download'>;
  readonly #slots = new FairSlots({
    slots: SLOTS,
    slotsPerOwner: SLOTS / 2,
    maxWaitingPerOwner: MAX_WAITING,
    makeError: () =>
      unavailable('Too many images of this mailbox are being fetched. Try again in a few seconds.'),
  });
  /** Cached images by mailbox and URL, oldest first. `image` is null if the URL has no image. */
  readonly #cache = new Map<string, { image: RemoteImage | null; cachedAtMs: number }>();
  #octets = 0;

  constructor(client: Pick<GuardedClient, 'download'>) {
    this.#client = client;
  }

  /** @returns null if the URL has no image that can be shown @throws AppError unavailable */
  async fetch(mailboxId: string, url: string): Promise<RemoteImage | null> {
    const key = `${mailboxId} ${url}`;
    this.#forgetOld();
    const known = this.#cache.get(key);
    if (known !== undefined) return known.image;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), TIMINGS.fetchMs * 2);
    try {
      const image = await this.#slots.run(mailboxId, late.signal, () => this.#fetch(url));
      this.#store(key, image);
      return image;
    } catch (error) {
      if (late.signal.aborted) return null;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async #fetch(url: string): Promise<RemoteImage | null> {
    const { httpStatus, body, bodyTruncated } = await this.#client.download(url, {
      headers: HEADERS,
      timeoutMs: TIMINGS.fetchMs,
      maxStoredBytes: MAX_IMAGE,
      maxRedirects: MAX_REDIRECTS,
    });
    if (httpStatus !== 200 || bodyTruncated) return null;
    const raster = readRaster(body.subarray(0, HEAD_BYTES));
    return raster === null ? null : { ...raster, bytes: body };
  }

  #store(key: string, image: RemoteImage | null): void {
    const size = image?.bytes.length ?? 0;
    if (size > MAX_CACHED_ONE || this.#cache.has(key)) return;
    this.#cache.set(key, { image, cachedAtMs: clock.nowMs() });
    this.#octets += size + key.length;
    for (const oldest of this.#cache.keys()) {
      if (this.#octets <= MAX_CACHED) return;
      this.#forget(oldest);
    }
  }

  #forgetOld(): void {
    const before = clock.nowMs() - TIMINGS.imageCachedMs;
    for (const [key, { cachedAtMs }] of this.#cache) {
      if (cachedAtMs > before) return;
      this.#forget(key);
    }
  }

  #forget(key: string): void {
    this.#octets -= (this.#cache.get(key)?.image?.bytes.length ?? 0) + key.length;
    this.#cache.delete(key);
  }
}
