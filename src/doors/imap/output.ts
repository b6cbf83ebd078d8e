import type { ClientConnection } from '../tcp/client-connection.ts';

/** So much is sent at once: a packet, and a block of a compressed layer, for many lines. */
const BATCH = 32 * 1024;
/** What is said or unpacked between two turns of the loop: a few milliseconds of work. */
const TURN = 256 * 1024;

/** What a session says. It is sent in large pieces, and at the latest when the client is to hear it: see `flush`. */
export class Output {
  readonly #connection: ClientConnection;
  #parts: (string | Buffer)[] = [];
  #size = 0;
  /** Characters and octets since the loop had its turn. */
  #done = 0;

  constructor(connection: ClientConnection) {
    this.#connection = connection;
  }

  /** @param text without its CRLF */
  line(text: string): void {
    this.#add(`${text}\r\n`);
  }

  /** A part of a line, such as a literal. */
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

  /** Octets that were unpacked for a few that are said: a header, of a whole message. */
  noteWork(octets: number): void {
    this.#done += octets;
  }

  /** Whether so much was said or done that `room` has something to do. */
  get isRoomDue(): boolean {
    return this.#size > BATCH || this.#done > TURN;
  }

  /**
   * To be awaited between messages of a long answer: gives others their turn, and waits while the client has not taken what was sent.
   * @returns false: the connection is over, and nobody will hear the rest
   */
  async room(): Promise<boolean> {
    if (this.#size > BATCH) this.flush();
    if (this.#done > TURN) {
      this.#done = 0;
      await new Promise(setImmediate);
    }
    await this.#connection.drained();
    return !this.#connection.isOver;
  }

  #add(part: string | Buffer): void {
    this.#size += part.length;
    this.#done += part.length;
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
