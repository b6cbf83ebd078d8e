import { once } from 'node:events';
import type { Client, Connection, Submittable } from 'pg';

declare module 'pg' {
  interface Connection {
    sendCopyFromChunk(chunk: Buffer): void;
    endCopyFrom(): void;
  }
}

/** Gives rows to the server: `copy ... from stdin`. node-postgres has the messages of COPY and does no more with them. */
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

  /** Resolves when the next one may be written. @throws what PostgreSQL says of the rows before */
  async write(rows: Buffer): Promise<void> {
    const connection = await this.#started.promise;
    connection.sendCopyFromChunk(rows);
    if (connection.stream.writableNeedDrain)
      await Promise.race([once(connection.stream, 'drain'), this.#ended.promise]);
  }

  /** @returns how many rows the server took @throws what it says of them */
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

/** Begins `copy ... from stdin`. Nothing else may be asked of the client before its end. */
export function copyIn(client: Client, text: string): CopyIn {
  return client.query(new CopyIn(text));
}
