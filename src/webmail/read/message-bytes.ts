/** The bytes of messages, message parts and remote images. */
import type { Blobs, OpenBlob } from '../../blobs/blobs.ts';
import type { GuardedClient } from '../../net/guarded-client.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import type { SignedImages } from './links/signed-images.ts';
import type { MessageReader } from './message-reader.ts';
import { firstBytes, partBytes, partText } from '../../store/parts/part-bytes.ts';
import { PixelSum } from './parts/pixel-sum.ts';
import { HEAD_BYTES, type Raster, readRaster } from './parts/raster.ts';
import type { ReadPart } from './read-message.ts';
import { type RemoteImage, RemoteImages } from './remote/remote-images.ts';
import { type Thumbnail, Thumbnails } from './thumbnails/thumbnails.ts';
import { type ZippedFiles, zipFiles } from './parts/zip-files.ts';
import { unsubscribeByPost } from './remote/unsubscriber.ts';
import { findUnsubscribe } from './sender/find-unsubscribe.ts';

export interface MessageBytesOptions {
  reader: Pick<MessageReader, 'find' | 'open' | 'openPart'>;
  blobs: Blobs;
  images: SignedImages;
  /** The client for images, which also allows http. */
  imageClient: Pick<GuardedClient, 'download'>;
  /** The client for unsubscribing. */
  client: Pick<GuardedClient, 'post'>;
}

type Bytes = AsyncIterable<Buffer>;
type Picture = { type: Raster; pixels: number; bytes: Bytes };
type PartPreview = Picture | { text: string };

/** Maximum octets of a text preview. */
const MAX_TEXT = 1_048_576;
/** The maximum number of messages whose image pixels are tracked at a time. */
const MAX_COUNTED = 200;
const WHOLE = { start: 0, transferEncoding: 'binary' };

/** All methods return null if the mailbox has no such message or part. */
export class MessageBytes implements AsyncDisposable {
  readonly #options: MessageBytesOptions;
  readonly #remote: RemoteImages;
  readonly #thumbnails = new Thumbnails();
  readonly #pixels = new Map<string, PixelSum>();

  constructor(options: MessageBytesOptions) {
    this.#options = options;
    this.#remote = new RemoteImages(options.imageClient);
  }

  /** The message as it was received. */
  async raw(mailbox: MailboxKey, objectId: string): Promise<Bytes | null> {
    const blob = await this.#open(mailbox, objectId);
    return blob === null ? null : partBytes(blob, { ...WHOLE, end: blob.size });
  }

  /** The first `octets` of the message. */
  async begin(mailbox: MailboxKey, objectId: string, octets: number): Promise<Buffer | null> {
    const blob = await this.#open(mailbox, objectId);
    return (await blob?.read({ start: 0, end: octets })) ?? null;
  }

  /** The decoded bytes of a part. @param number for example `1.2` */
  async part(
    mailbox: MailboxKey,
    objectId: string,
    number: string,
  ): Promise<{ part: ReadPart; bytes: Bytes } | null> {
    const opened = await this.#part(mailbox, objectId, number);
    return opened === null ? null : { part: opened.part, bytes: partBytes(opened.blob, opened.part) };
  }

  /** A raster image, recognized by its bytes, or the beginning of a text. Also returns null for a part of any other type. */
  async preview(mailbox: MailboxKey, objectId: string, number: string): Promise<PartPreview | null> {
    const opened = await this.#part(mailbox, objectId, number);
    if (opened === null) return null;
    const { part, blob } = opened;
    const raster = readRaster(await firstBytes(blob, part, HEAD_BYTES));
    if (raster !== null) return { ...raster, bytes: partBytes(blob, part) };
    return isText(part) ? { text: await partText(blob, part, MAX_TEXT) } : null;
  }

  /** A small image of a raster image. Also returns null for a part of any other type, and for an image that is too large to decode. */
  async thumbnail(mailbox: MailboxKey, objectId: string, number: string): Promise<Thumbnail | null> {
    const opened = await this.#part(mailbox, objectId, number);
    if (opened === null) return null;
    const { part, blob, digest } = opened;
    return this.#thumbnails.of(mailbox, `${digest.toString('hex')} ${number}`, blob, part);
  }

  /** All files of the message in a zip, without the images that its HTML shows. @param part the attached message whose files are meant */
  async files(mailbox: MailboxKey, objectId: string, part?: string): Promise<ZippedFiles | null> {
    const both = await this.#options.reader.open(mailbox, objectId, part);
    const blob = (await both?.blob()) ?? null;
    if (both === null || blob === null) return null;
    const { message, clean } = both.opened;
    const inline = new Set(clean?.contentIds);
    const files = message.attached.filter(({ contentId }) => contentId === null || !inline.has(contentId));
    const { date, received_at } = both.found.summary;
    return zipFiles(blob, files, new Date(date ?? received_at));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thumbnails[Symbol.asyncDispose]();
  }

  /**
   * An image of the message for its frame. Also returns null if the signature is not valid for the image, or if the images of the message
   * have too many pixels.
   */
  async inline(
    mailboxId: string,
    objectId: string,
    number: string,
    signature: string,
  ): Promise<Picture | null> {
    const projectId = this.#options.images.verify(mailboxId, objectId, `part ${number}`, signature);
    if (projectId === null) return null;
    const shown = await this.preview({ projectId, mailboxId }, objectId, number);
    if (shown === null || 'text' in shown) return null;
    return this.#pixelsOf(mailboxId, objectId).admits(`part ${number}`, shown.pixels) ? shown : null;
  }

  /**
   * A remote image. Also returns null if the signature is not valid for the URL, if the URL has no image that can be shown, or if the
   * images of the message have too many pixels.
   */
  async remote(
    mailboxId: string,
    objectId: string,
    url: string,
    signature: string,
  ): Promise<RemoteImage | null> {
    const projectId = this.#options.images.verify(mailboxId, objectId, `remote ${url}`, signature);
    const image = projectId === null ? null : await this.#remote.fetch(mailboxId, url);
    if (image === null) return null;
    return this.#pixelsOf(mailboxId, objectId).admits(`remote ${url}`, image.pixels) ? image : null;
  }

  /** Unsubscribes. Also returns null if the message does not support one-click unsubscribe. */
  async unsubscribe(mailbox: MailboxKey, objectId: string): Promise<{ done: boolean; text: string } | null> {
    const both = await this.#options.reader.open(mailbox, objectId);
    if (both === null) return null;
    const found = findUnsubscribe(both.opened.message.fields, both.found.authentication);
    return found?.kind === 'one-click' ? unsubscribeByPost(this.#options.client, found) : null;
  }

  #pixelsOf(mailboxId: string, objectId: string): PixelSum {
    const key = `${mailboxId} ${objectId}`;
    const pixels = this.#pixels.get(key) ?? new PixelSum();
    // The message moves to the end, because the least recently viewed message is removed first.
    this.#pixels.delete(key);
    this.#pixels.set(key, pixels);
    for (const oldest of this.#pixels.keys()) {
      if (this.#pixels.size <= MAX_COUNTED) break;
      this.#pixels.delete(oldest);
    }
    return pixels;
  }

  async #open(mailbox: MailboxKey, objectId: string): Promise<OpenBlob | null> {
    const found = await this.#options.reader.find(mailbox, objectId);
    return found === null ? null : this.#options.blobs.open(mailbox.projectId, found.digest);
  }

  async #part(
    mailbox: MailboxKey,
    objectId: string,
    number: string,
  ): Promise<{ part: ReadPart; blob: OpenBlob; digest: Buffer } | null> {
    const found = await this.#options.reader.openPart(mailbox, objectId, number);
    const blob = (await found?.within.blob()) ?? null;
    if (found === null || blob === null) return null;
    return { part: found.part, blob, digest: found.within.found.digest };
  }
}

/** Whether the part can be shown as text. This includes HTML, which is shown as source. */
function isText({ type, name }: ReadPart): boolean {
  return (
    /^(?:text\/|message\/|application\/(?:json|xml|ics)$)/.test(type) ||
    /\.(?:txt|log|csv|md|json|ics|eml)$/i.test(name)
  );
}
