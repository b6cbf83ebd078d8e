import { once } from 'node:events';
import type { Client, Connection, Submittable } from 'pg';

declare module 'pg' {
  interface Connection {
    sendCopyFromChunk(chunk: Buffer): void;
    endCopyFrom(): void;
  }
}

/** Sends rows to the server with `copy ... from stdin`. node-postgres parses COPY messages, but has no API for COPY. */
export class CopyIn implements Submittable {
  readonly #text: string;
  readonly #started = Promise.withResolvers<Connection>();
  readonly #ended = Promise.withResolvers<number>();
  #rows = 0;

  constructor(text: string) {
    this.#text = text;
    this.#ended.promise.catch(() => {});
    this.#started.promise.catch(() => {});
  }

  /** Resolves when the next rows may be written. @throws PostgreSQL's error about earlier rows */
  async write(rows: Buffer): Promise<void> {
    const connection = await this.#started.promise;
    connection.sendCopyFromChunk(rows);
    if (connection.stream.writableNeedDrain)
      await Promise.race([once(connection.stream, 'drain'), this.#ended.promise]);
  }

  /** @returns the number of rows that the server accepted @throws PostgreSQL's error about the rows */
  async end(): Promise<number> {
    (await this.#started.promise).endCopyFrom();
    return this.#ended.promise;
  }

  submit(connection: Connection): void {
    connection.query(this.#text);
  }

  handleCopyInResponse(connection: Connection): void {
    this.#started.resolve(connection);
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#rows = Number(text.slice('COPY '.length));
  }

  handleReadyForQuery(): void {
    this.#ended.resolve(this.#rows);
  }

  handleError(error: Error): void {
    this.#started.reject(error);
    this.#ended.reject(error);
  }

  handleRowDescription(): void {}
}

/** Begins `copy ... from stdin`. The client must not be used for anything else until the copy has ended. */
export function copyIn(client: Client, text: string): CopyIn {
  return client.query(new CopyIn(text));
}
