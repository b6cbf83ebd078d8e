/** Makes parts of what is sent, in the memory that there is for it. */
import { createHash, type Hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { collectGarbageOf } from './garbage.ts';
import type { LeasedBuffer, PartBuffers } from './part-buffers.ts';

/** A part that is full, or as full as it gets. */
export interface CollectedPart {
  bytes: Buffer;
  digest: Buffer;
  /** Of all bytes of the file up to its end. */
  crc32: number;
  /** Its memory is needed no more. */
  release(): void;
}

/**
 * The first bytes of a part are collected in a small buffer of its own, and only a line that has filled it gets one of the large ones: who sends byte by byte keeps
 * nobody waiting.
 */
export class PartCollector {
  readonly #buffers: PartBuffers;
  readonly #small: Buffer;
  #crc32: number;
  #hash: Hash = createHash('sha256');
  #length = 0;
  #large: LeasedBuffer | null = null;

  /** @param small of the least part; it is nobody else's as long as this is at work @param crc of what is there already */
  constructor(buffers: PartBuffers, small: Buffer, crc: number) {
    this.#buffers = buffers;
    this.#small = small;
    this.#crc32 = crc;
  }

  get length(): number {
    return this.#length;
  }

  /** The chunk is empty once it is taken. @param store takes a part that is full @returns null: it is taken */
  add(chunk: Uint8Array, store: (part: CollectedPart) => Promise<void>): Promise<void> | null {
    if (chunk.length >= this.#room) return this.#addInPieces(chunk, store);
    this.#copy(chunk);
    freeChunk(chunk);
    return null;
  }

  /** Calls back when others need the memory of what is collected. */
  whenWanted(then: () => void): void {
    if (this.#large !== null) this.#large.onWanted = then;
  }

  /** What was collected. The next part begins. */
  take(): CollectedPart {
    const large = this.#large;
    // A copy: the next part begins in the small buffer while this one is written.
    const bytes =
      large?.bytes.subarray(0, this.#length) ?? Buffer.from(this.#small.subarray(0, this.#length));
    const part = { bytes, digest: this.#hash.digest(), crc32: this.#crc32 };
    if (large !== null) large.onWanted = () => {};
    collectGarbageOf(this.#length);
    this.#large = null;
    this.#hash = createHash('sha256');
    this.#length = 0;
    return { ...part, release: () => large !== null && this.#buffers.give(large) };
  }

  /** Gives back what it holds. */
  [Symbol.dispose](): void {
    if (this.#large !== null) this.#buffers.give(this.#large);
    this.#large = null;
  }

  get #room(): number {
    return (this.#large?.bytes ?? this.#small).length - this.#length;
  }

  async #addInPieces(chunk: Uint8Array, store: (part: CollectedPart) => Promise<void>): Promise<void> {
    for (let at = 0; at < chunk.length; ) {
      if (this.#room === 0) await this.#grow();
      const piece = chunk.subarray(at, at + this.#room);
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
 * Gives its memory back at once: until V8 collects it, some sixty megabytes more would lie there. What is a part of a larger buffer has an owner elsewhere.
 */
function freeChunk({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
