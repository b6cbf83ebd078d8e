/** Collects sent bytes into parts, in the available memory. */
import { createHash, type Hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { collectGarbageOf } from './garbage.ts';
import type { LeasedBuffer, PartBuffers } from './part-buffers.ts';

/** A full part, or the last one of an upload or request. */
export interface CollectedPart {
  bytes: Buffer;
  digest: Buffer;
  /** The checksum of all bytes of the file up to its end. */
  crc32: number;
  /** Frees its memory. */
  release(): void;
}

/**
 * The first bytes of a part are collected in a small buffer of the upload's own. Only a connection that has filled it gets one of the large ones, so a client that sends byte by byte
 * delays no others.
 */
export class PartCollector {
  readonly #buffers: PartBuffers;
  readonly #small: Buffer;
  #crc32: number;
  #hash: Hash = createHash('sha256');
  #length = 0;
  #large: LeasedBuffer | null = null;

  /** @param small buffer for the least part, used by nothing else in the meantime @param crc of the bytes received before */
  constructor(buffers: PartBuffers, small: Buffer, crc: number) {
    this.#buffers = buffers;
    this.#small = small;
    this.#crc32 = crc;
  }

  get length(): number {
    return this.#length;
  }

  /** The chunk may be reused once it is stored. @param store stores a full part @returns null: it is stored */
  add(chunk: Uint8Array, store: (part: CollectedPart) => Promise<void>): Promise<void> | null {
    if (chunk.length >= this.#free) return this.#addInPieces(chunk, store);
    this.#copy(chunk);
    freeChunk(chunk);
    return null;
  }

  /** Calls back when others need the buffer. */
  whenReclaimed(then: () => void): void {
    if (this.#large !== null) this.#large.onDemand = then;
  }

  /** Returns the collected part and begins the next one. */
  take(): CollectedPart {
    const large = this.#large;
    // Copy it: the next part begins in the small buffer while this one is written.
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

  /** Releases its buffers. */
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
 * Frees its memory at once: until V8 collects it, about sixty megabytes more would stay allocated. A slice of a larger buffer is owned elsewhere.
 */
function freeChunk({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
