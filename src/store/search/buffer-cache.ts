/** An LRU cache of buffers with a maximum total size. */
export class BufferCache {
  readonly #maxOctets: number;
  readonly #buffers = new Map<string, Buffer>();
  #octets = 0;

  constructor(maxOctets: number) {
    this.#maxOctets = maxOctets;
  }

  get(name: string): Buffer | undefined {
    const buffer = this.#buffers.get(name);
    if (buffer === undefined) return undefined;
    this.#buffers.delete(name);
    this.#buffers.set(name, buffer);
    return buffer;
  }

  /** Does not store a buffer that is larger than the whole cache. */
  set(name: string, buffer: Buffer): void {
    this.#forget(name);
    this.#buffers.set(name, buffer);
    this.#octets += buffer.length;
    for (const oldest of this.#buffers.keys()) {
      if (this.#octets <= this.#maxOctets) return;
      this.#forget(oldest);
    }
  }

  #forget(name: string): void {
    this.#octets -= this.#buffers.get(name)?.length ?? 0;
    this.#buffers.delete(name);
  }
}
