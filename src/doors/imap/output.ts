import type { ClientConnection } from '../tcp/client-connection.ts';

/** Buffered size that triggers a flush, so that many lines share a packet and a compressed block. */
const BATCH = 32 * 1024;
/** How many octets to write or scan before yielding to the event loop. They take a few milliseconds. */
const YIELD_AFTER = 256 * 1024;

/** Output of a session. Buffers responses until `flush`, or until a batch is full. */
export class Output {
  readonly #connection: ClientConnection;
  #parts: (string | Buffer)[] = [];
  #size = 0;
  /** Work since the last yield, in characters and octets. */
  #work = 0;

  constructor(connection: ClientConnection) {
    this.#connection = connection;
  }

  /** Writes a line. @param text the line without CRLF */
  line(text: string): void {
    this.#add(`${text}\r\n`);
  }

  /** Writes part of a line, such as a literal. */
  raw(data: string | Buffer): void {
    this.#add(data);
  }

  flush(): void {
    const parts = this.#parts;
    if (parts.length === 0) return;
    this.#parts = [];
    this.#size = 0;
    const isText = parts.every((part) => typeof part === 'string');
    this.#connection.send(isText ? parts.join('') : Buffer.concat(parts.map(toBuffer)));
  }

  /** Counts octets that were scanned but not written, such as a whole message for one header field. */
  noteWork(octets: number): void {
    this.#work += octets;
  }

  /** Whether `drained` would flush or yield. */
  get isDrainDue(): boolean {
    return this.#size > BATCH || this.#work > YIELD_AFTER;
  }

  /**
   * Call between the messages of a long response. Flushes a full batch, yields to the event loop after much work, and waits for slow clients.
   * @returns false if the connection is over
   */
  async drained(): Promise<boolean> {
    if (this.#size > BATCH) this.flush();
    if (this.#work > YIELD_AFTER) {
      this.#work = 0;
      await new Promise(setImmediate);
    }
    await this.#connection.drained();
    return !this.#connection.isOver;
  }

  #add(part: string | Buffer): void {
    this.#size += part.length;
    this.#work += part.length;
    if (part.length <= BATCH) {
      this.#parts.push(part);
      return;
    }
    this.flush();
    this.#connection.send(part);
  }
}

function toBuffer(part: string | Buffer): Buffer {
  return typeof part === 'string' ? Buffer.from(part) : part;
}
