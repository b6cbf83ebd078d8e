/** An IMAP client that does not parse responses, so that only the server's time is measured. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A mailbox at a server on 127.0.0.1. */
export interface ImapEndpoint {
  port: number;
  user: string;
  password: string;
}

const END_OF_LINE = Buffer.from('\r\n');

export class ImapConnection {
  readonly #socket: Socket;
  #tags = 0;
  #tail: Buffer = Buffer.alloc(0);
  #onTail: () => void = () => {};
  /** Called with each received chunk. */
  onChunk: (chunk: Buffer) => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      // Only the last bytes are stored, because the end of a response is found in its last line.
      this.#tail = Buffer.concat([this.#tail, chunk]).subarray(-4_096);
      this.onChunk(chunk);
      this.#onTail();
    });
    socket.once('close', () => this.#onTail());
  }

  /** @param address the local IP address of the client */
  static async signIn(
    { port, user, password }: ImapEndpoint,
    address = '127.0.0.1',
  ): Promise<ImapConnection> {
    const socket = connect({ port, host: '127.0.0.1', localAddress: address });
    const connection = new ImapConnection(socket);
    await once(socket, 'connect');
    await connection.#until((tail) => tail.includes('\r\n'));
    await connection.time(`LOGIN "${user}" "${password}"`);
    return connection;
  }

  /** Runs a command. @returns the milliseconds until the response @throws Error if the response is not OK */
  async time(command: string): Promise<number> {
    // Before the command is sent: the server may answer before `write` returns.
    const from = performance.now();
    const tag = this.#send(command);
    await this.#ended(tag);
    return performance.now() - from;
  }

  /** Sends IDLE, and resolves once the server has confirmed IDLE. */
  async idle(): Promise<void> {
    this.#send('IDLE');
    await this.#until((tail) => tail.includes('+ '));
    this.#tail = Buffer.alloc(0);
  }

  /**
   * Appends one message with a synchronizing literal.
   * @param isSplit whether to write the end of the command separately and with Nagle's algorithm, as Python's imaplib does
   * @returns the milliseconds until the response, and the UID of the message (RFC 4315)
   */
  async appendOne(folder: string, message: Buffer, isSplit = false): Promise<{ ms: number; uid: number }> {
    this.#socket.setNoDelay(!isSplit);
    const from = performance.now();
    const tag = this.#send(`APPEND ${folder} {${message.length}}`);
    await this.#until((tail) => /(?:^|\r\n)\+ [^\r\n]*\r\n$/.test(tail));
    if (isSplit) {
      this.#socket.write(message);
      this.#socket.write('\r\n');
    } else this.#socket.write(Buffer.concat([message, END_OF_LINE]));
    await this.#ended(tag);
    const ms = performance.now() - from;
    return { ms, uid: Number(/APPENDUID \d+ (\d+)/.exec(this.#tail.toString('latin1'))?.[1]) };
  }

  /** Appends messages with one APPEND (RFC 3502), as fast as the server accepts them. */
  async append(folder: string, messages: readonly Buffer[]): Promise<void> {
    const tag = `b${++this.#tags}`;
    this.#tail = Buffer.alloc(0);
    this.#socket.write(`${tag} APPEND ${folder}`);
    for (const message of messages) {
      this.#socket.write(` {${message.length}+}\r\n`);
      if (!this.#socket.write(message)) await once(this.#socket, 'drain');
    }
    this.#socket.write('\r\n');
    await this.#ended(tag);
  }

  close(): void {
    this.#socket.destroy();
  }

  #send(command: string): string {
    const tag = `b${++this.#tags}`;
    this.#tail = Buffer.alloc(0);
    this.#socket.write(`${tag} ${command}\r\n`);
    return tag;
  }

  async #ended(tag: string): Promise<void> {
    const isEnd = new RegExp(`(?:^|\r\n)${tag} (\\S+) [^\r\n]*\r\n$`);
    await this.#until((tail) => isEnd.test(tail));
    const [, status] = isEnd.exec(this.#tail.toString('latin1')) ?? [];
    if (status !== 'OK') throw new Error(`The command failed: ${this.#tail.toString('latin1').slice(-300)}`);
  }

  #until(matches: (tail: string) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        if (matches(this.#tail.toString('latin1'))) resolve();
        else if (this.#socket.closed) reject(new Error('The server closed the connection'));
      };
      this.#onTail = check;
      check();
    });
  }
}
