import type { OpenBlob } from '../../../blobs/blobs.ts';
import { BoundedMap } from '../../../concurrency/bounded-map.ts';
import { Semaphore } from '../../../concurrency/semaphore.ts';
import type { SectionPart } from '../../../rfc/imap/sections.ts';
import { PartsReader } from '../../../store/facts/parts-reader.ts';

/** Messages whose parts are known: a thousand parts of each take 100 kB, and most have three. */
const MAX_KNOWN = 100;
/** Large messages that are held as a whole, of all sessions. */
const AT_ONCE = 2;

/**
 * Where the parts of large messages lie, for all sessions of the process: a client that fetches an attachment piece by piece
 * has the message read as a whole once.
 */
export class MessageParts implements AsyncDisposable {
  readonly #reader = new PartsReader();
  readonly #turns = new Semaphore(AT_ONCE);
  readonly #known = new BoundedMap<string, SectionPart>(MAX_KNOWN);

  ofSmall(raw: Buffer): SectionPart | Promise<SectionPart> {
    return this.#reader.read(raw);
  }

  /** @param name of the bytes, with that of their project @returns null: they are gone */
  async ofLarge(name: string, blob: OpenBlob): Promise<SectionPart | null> {
    return this.#known.get(name) ?? this.#turns.run(() => this.#read(name, blob));
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
