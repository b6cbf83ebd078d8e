import type { OpenBlob } from '../../../blobs/blobs.ts';
import { BoundedMap } from '../../../concurrency/bounded-map.ts';
import { Semaphore } from '../../../concurrency/semaphore.ts';
import type { SectionPart } from '../../../rfc/imap/sections.ts';
import { PartsReader } from '../../../store/facts/parts-reader.ts';

/** Number of cached part structures. A structure of a thousand parts takes 100 kB; most messages have three parts. */
const MAX_CACHED = 100;
/** Number of large messages in memory at a time, over all sessions. */
const AT_ONCE = 2;

/**
 * Locates the parts of messages. The parts of large messages are cached for all sessions of the process, so that a client that fetches an
 * attachment piece by piece causes only one read of the whole message.
 */
export class MessageParts implements AsyncDisposable {
  readonly #reader = new PartsReader();
  readonly #slots = new Semaphore(AT_ONCE);
  readonly #cache = new BoundedMap<string, SectionPart>(MAX_CACHED);

  ofSmall(raw: Buffer): SectionPart | Promise<SectionPart> {
    return this.#reader.read(raw);
  }

  /** @param name identifies the bytes of the message across all projects @returns null if the bytes are missing */
  async ofLarge(name: string, blob: OpenBlob): Promise<SectionPart | null> {
    return this.#cache.get(name) ?? this.#slots.run(() => this.#read(name, blob));
  }

  async #read(name: string, blob: OpenBlob): Promise<SectionPart | null> {
    const cached = this.#cache.get(name);
    if (cached !== undefined) return cached;
    const raw = await blob.read();
    if (raw === null) return null;
    const part = await this.#reader.read(raw);
    this.#cache.set(name, part);
    return part;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader[Symbol.asyncDispose]();
  }
}
