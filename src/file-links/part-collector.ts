/** Collects sent bytes into parts, in the available memory. */
import { createHash, type Hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { collectGarbageOf } from './garbage.ts';
import type { LeasedBuffer, PartBuffers } from './part-buffers.ts';

/** A full part, or the last part of an upload or request. */
export interface CollectedPart {
  bytes: Buffer;
  digest: Buffer;
  /** The checksum of all bytes of the file up to the end of this part. */
  crc32: number;
  /** Frees the memory of the part. Call this after the part was stored. */
  release(): void;
}

/**
 * Collects the first bytes of a part in a small buffer that belongs to one upload. An upload gets a large buffer only after its small
 * buffer is full, so a client that sends byte by byte does not occupy a large buffer.
 */
export class PartCollector {
  readonly #buffers: PartBuffers;
  readonly #small: Buffer;
  #crc32: number;
  #hash: Hash = createHash('sha256');
  #length = 0;
  #large: LeasedBuffer | null = null;

  /**
   * @param small a buffer of `MIN_PART_BYTES` that no other code uses
   * @param crc the checksum of the bytes that were received earlier
   */
  constructor(buffers: PartBuffers, small: Buffer, crc: number) {
    this.#buffers = buffers;
    this.#small = small;
    this.#crc32 = crc;
  }

  get length(): number {
    return this.#length;
  }

  /** Adds a chunk and frees the memory of the chunk. @param store stores a full part @returns null if the chunk was added at once */
  add(chunk: Uint8Array, store: (part: CollectedPart) => Promise<void>): Promise<void> | null {
    if (chunk.length >= this.#free) return this.#addInPieces(chunk, store);
    this.#copy(chunk);
    freeChunk(chunk);
    return null;
  }

  /** Calls `then` when other uploads need the buffer. */
  whenReclaimed(then: () => void): void {
    if (this.#large !== null) this.#large.onDemand = then;
  }

  /** Returns the collected part and begins the next part. */
  take(): CollectedPart {
    const large = this.#large;
    // Copy the bytes of the small buffer, because the next part is collected in it while this part is being written.
    const bytes =
      large?.bytes.subarray(0, this.#length) ?? Buffer.from(this.#small.subarray(0, this.#length));
    const part = { bytes, digest: this.#hash.digest(), crc32: this.#crc32 };
    if (large !== null) large.onDemand = () => {};
    collectGarbageOf(this.#length);
    this.#large = null;
    this.#hash = createHash('sha256');
    this.#length = 0;
    return { ...part, release: () => large !== null && this.#buffers.release(large) };
  }

  [Symbol.dispose](): void {
    if (this.#large !== null) this.#buffers.release(this.#large);
    this.#large = null;
  }

  get #free(): number {
    return (this.#large?.bytes ?? this.#small).length - this.#length;
  }

  async #addInPieces(chunk: Uint8Array, store: (part: CollectedPart) => Promise<void>): Promise<void> {
    for (let at = 0; at < chunk.length; ) {
      if (this.#free === 0) await this.#grow();
      const piece = chunk.subarray(at, at + this.#free);
      this.#copy(piece);
      at += piece.length;
      if (this.#length === this.#large?.bytes.length) await store(this.take());
    }
    freeChunk(chunk);
  }

  #copy(piece: Uint8Array): void {
    (this.#large?.bytes ?? this.#small).set(piece, this.#length);
    this.#hash.update(piece);
    this.#crc32 = crc32(piece, this.#crc32);
    this.#length += piece.length;
  }

  async #grow(): Promise<void> {
    this.#large = await this.#buffers.take();
    this.#small.copy(this.#large.bytes);
  }
}

/**
 * Frees the memory of a chunk at once. Without this, about 60 MB more would stay allocated until the next garbage collection. A chunk that
 * is only a part of a larger buffer is not freed, because other code uses the rest of that buffer.
 */
function freeChunk({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
