import type { Client, Connection, Submittable } from 'pg';

/** Of the rows that are handed on at once. */
const BLOCK_BYTES = 1024 * 1024;
/** Blocks that wait to be taken before the server is made to wait. */
const MAX_READY = 2;

/**
 * What `copy ... to stdout` answers, in blocks of whole rows. While nobody takes a block the server waits, so that no more than a
 * few of them are in memory. node-postgres hands on the messages of COPY and does no more with them.
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
  /** How many rows there were. Known once all blocks were taken. */
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

  /** Once for each row (PostgreSQL, Message Flow, COPY Operations). The bytes are the parser's: they change after this turn. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    if (this.#filled + chunk.length > this.#filling.length) {
      this.#flush();
      if (chunk.length > this.#filling.length) {
        this.#hand(Buffer.from(chunk));
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
    this.#hand(this.#filling.subarray(0, this.#filled));
    this.#filling = Buffer.allocUnsafe(BLOCK_BYTES);
    this.#filled = 0;
  }

  #hand(block: Buffer): void {
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

/** Takes the rows of `copy ... to stdout` from the server, one statement after another. */
export function copyOut(client: Client, text: string): CopyOut {
  return client.query(new CopyOut(text));
}
