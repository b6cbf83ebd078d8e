import type { OpenBlob } from '../../../blobs/blobs.ts';
import { BoundedMap } from '../../../concurrency/bounded-map.ts';
import { Semaphore } from '../../../concurrency/semaphore.ts';
import type { SectionPart } from '../../../rfc/imap/sections.ts';
import { PartsReader } from '../../../store/facts/parts-reader.ts';

/** Cached part structures. A thousand parts take 100 kB; most messages have three. */
const MAX_KNOWN = 100;
/** Large messages in memory at a time, over all sessions. */
const AT_ONCE = 2;

/**
 * Locates the parts of messages. The parts of large messages are cached for all sessions of the process, so that a client that fetches an
 * attachment piece by piece causes only one read of the whole message.
 */
export class MessageParts implements AsyncDisposable {
  readonly #reader = new PartsReader();
  readonly #slots = new Semaphore(AT_ONCE);
  readonly #known = new BoundedMap<string, SectionPart>(MAX_KNOWN);

  ofSmall(raw: Buffer): SectionPart | Promise<SectionPart> {
    return this.#reader.read(raw);
  }

  /** @param name identifies the bytes, with their project @returns null if the bytes are missing */
  async ofLarge(name: string, blob: OpenBlob): Promise<SectionPart | null> {
    return this.#known.get(name) ?? this.#slots.run(() => this.#read(name, blob));
  }

  async #read(name: string, blob: OpenBlob): Promise<SectionPart | null> {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const raw = await blob.read();
    if (raw === null) return null;
    const part = await this.#reader.read(raw);
    this.#known.set(name, part);
    return part;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader[Symbol.asyncDispose]();
  }
}
