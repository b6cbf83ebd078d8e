import type { Client, Connection, Submittable } from 'pg';

const BLOCK_BYTES = 1024 * 1024;
/** The maximum number of unread blocks in memory. Beyond this number, reading from the server is paused. */
const MAX_READY = 2;

/**
 * The output of `copy ... to stdout`, in blocks of whole rows. The server waits while the reader does not read, so only a few blocks are in
 * memory. node-postgres parses COPY messages, but has no API for COPY.
 */
export class CopyOut implements Submittable, AsyncIterable<Buffer> {
  readonly #text: string;
  readonly #ready: Buffer[] = [];
  readonly #ended = Promise.withResolvers<void>();
  #filling = Buffer.allocUnsafe(BLOCK_BYTES);
  #filled = 0;
  #connection: Connection | null = null;
  #isOver = false;
  #wake: () => void = () => {};
  /** The number of rows. Set once all blocks have been read. */
  rows = 0;

  constructor(text: string) {
    this.#text = text;
    this.#ended.promise.catch(() => {});
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    for (;;) {
      const block = this.#ready.shift();
      if (block !== undefined) {
        if (this.#ready.length < MAX_READY) this.#connection?.stream.resume();
        yield block;
      } else if (this.#isOver) break;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    await this.#ended.promise;
  }

  submit(connection: Connection): void {
    this.#connection = connection;
    connection.query(this.#text);
  }

  /**
   * Called by pg for each row (PostgreSQL, Message Flow, COPY Operations). The bytes are copied, because the parser of pg reuses their
   * buffer.
   */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    if (this.#filled + chunk.length > this.#filling.length) {
      this.#flush();
      if (chunk.length > this.#filling.length) {
        this.#emit(Buffer.from(chunk));
        return;
      }
    }
    this.#filled += chunk.copy(this.#filling, this.#filled);
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.rows = Number(text.slice('COPY '.length));
    this.#flush();
  }

  handleReadyForQuery(): void {
    this.#ended.resolve();
    this.#end();
  }

  handleError(error: Error): void {
    this.#ended.reject(error);
    this.#end();
  }

  handleRowDescription(): void {}

  #flush(): void {
    if (this.#filled === 0) return;
    this.#emit(this.#filling.subarray(0, this.#filled));
    this.#filling = Buffer.allocUnsafe(BLOCK_BYTES);
    this.#filled = 0;
  }

  #emit(block: Buffer): void {
    this.#ready.push(block);
    if (this.#ready.length >= MAX_READY) this.#connection?.stream.pause();
    this.#wake();
  }

  #end(): void {
    this.#isOver = true;
    this.#connection?.stream.resume();
    this.#wake();
  }
}

/** Begins `copy ... to stdout`. The client must not run another statement until the copy has ended. */
export function copyOut(client: Client, text: string): CopyOut {
  return client.query(new CopyOut(text));
}
