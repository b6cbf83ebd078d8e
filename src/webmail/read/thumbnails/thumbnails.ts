/**
 * Small images of attached images (docs/decisions/0158-files-and-invitations.md). The codecs run in
 * WebAssembly, within a thread: hostile bytes can neither reach the memory of the service nor delay it.
 */
import type { OpenBlob } from '../../../blobs/blobs.ts';
import { AnsweringThread } from '../../../concurrency/answering-thread.ts';
import { FairSlots } from '../../../concurrency/fair-slots.ts';
import { unavailable } from '../../../model/app-error.ts';
import type { MailboxKey } from '../../../store/lock-mailboxes.ts';
import { firstBytes } from '../../../store/parts/part-bytes.ts';
import { OpenedMessages } from '../opened-messages.ts';
import { HEAD_BYTES, type Raster, readRaster } from '../parts/raster.ts';
import type { ReadPart } from '../read-message.ts';
import type { ShrinkTask } from './shrink.ts';
import { TIMINGS } from './timings.ts';

export interface Thumbnail {
  type: Raster;
  bytes: Buffer;
}

/** Maximum pixels of an image. Decoding needs eight bytes for each pixel. */
const MAX_PIXELS = 16_000_000;
/** Maximum encoded octets of an image, before the transfer encoding is removed. */
const MAX_OCTETS = 28 * 1_048_576;
/** Images that the codecs cannot read, such as GIF, are sent unchanged up to this size. */
const MAX_UNCHANGED = 262_144;
const MAX_WAITING = 200;

export class Thumbnails implements AsyncDisposable {
  /** One image is in memory at a time. */
  readonly #slots = new FairSlots({
    slots: 1,
    slotsPerOwner: 1,
    maxWaitingPerOwner: MAX_WAITING,
    makeError: () =>
      unavailable('Too many images of this mailbox are being shown. Try again in a few seconds.'),
  });
  readonly #thread = new AnsweringThread<{ webp: Uint8Array | null }>({
    name: 'shrinking images',
    code: new URL('./thread.ts', import.meta.url),
    timings: TIMINGS,
  });
  readonly #cache = new OpenedMessages<Thumbnail | null>((thumbnail) => (thumbnail?.bytes.length ?? 0) + 200);

  /**
   * @param key identifies the bytes of the image within the project
   * @returns null if the part is no raster image, or if the image is too large @throws AppError unavailable
   */
  of(
    { projectId, mailboxId }: MailboxKey,
    key: string,
    blob: OpenBlob,
    part: ReadPart,
  ): Promise<Thumbnail | null> {
    return this.#cache.of(`${projectId} ${key}`, () =>
      this.#slots.run(mailboxId, AbortSignal.timeout(TIMINGS.waitMs), () => this.#make(blob, part)),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]();
  }

  async #make(blob: OpenBlob, part: ReadPart): Promise<Thumbnail | null> {
    const raster = readRaster(await firstBytes(blob, part, HEAD_BYTES));
    if (raster === null || raster.pixels > MAX_PIXELS || part.end - part.start > MAX_OCTETS) return null;
    const bytes = await firstBytes(blob, part, part.end - part.start);
    const { type } = raster;
    if (type !== 'image/jpeg' && type !== 'image/png' && type !== 'image/webp')
      return bytes.length <= MAX_UNCHANGED ? { type, bytes } : null;
    const answer = await this.#thread.ask(async () => {
      const own = new Uint8Array(bytes);
      return [{ type, bytes: own } satisfies ShrinkTask, [own.buffer]];
    });
    return answer?.webp == null ? null : { type: 'image/webp', bytes: Buffer.from(answer.webp) };
  }
}
