/** An IMAP client for tests. A literal counts as part of the line that announces it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { constants, createDeflateRaw, createInflateRaw } from 'node:zlib';

const PATIENCE_MS = 10_000;

interface Endpoint {
  host: string;
  port: number;
  /** Timeout for each response. */
  patienceMs?: number;
}

export class ImapWire implements Disposable {
  /** All lines received, for failure messages. */
  readonly received: string[] = [];
  /** Received lines that no expectation has matched yet. */
  readonly unread: string[] = [];
  #socket: Socket;
  #sink: Writable;
  #input = Buffer.alloc(0);
  #closed = false;
  #onInput = (): void => {};

  readonly #patienceMs: number;

  private constructor(socket: Socket, patienceMs: number) {
    this.#patienceMs = patienceMs;
    this.#socket = socket;
    this.#sink = socket;
    this.#listen(socket);
  }

  static async connect({ host, port, patienceMs = PATIENCE_MS }: Endpoint): Promise<ImapWire> {
    const socket = connect({ port, host });
    await once(socket, 'connect');
    return new ImapWire(socket, patienceMs);
  }

  static async connectSecurely({ host, port, patienceMs = PATIENCE_MS }: Endpoint): Promise<ImapWire> {
    const socket = connectTls({ port, host, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    return new ImapWire(socket, patienceMs);
  }

  /** Reads the greeting and signs in. */
  async signIn({ user, password }: { user: string; password: string }): Promise<void> {
    assert.match((await this.next()) ?? '', /^\* OK/);
    const lines = await this.command(`login LOGIN "${user}" "${password}"`);
    assert.match(lines.at(-1) ?? '', /^login OK/, lines.join('\n'));
  }

  /** Sends a command. @returns all lines up to the tagged response, or to the end of the connection */
  async command(line: string): Promise<string[]> {
    this.send(`${line}\r\n`);
    const tag = `${line.split(' ')[0]} `;
    const lines: string[] = [];
    for (let line = await this.next(); line !== null; line = await this.next()) {
      this.unread.splice(this.unread.indexOf(line), 1);
      lines.push(line);
      if (line.startsWith(tag)) break;
    }
    return lines;
  }

  send(text: string | Buffer): void {
    this.#sink.write(text);
  }

  /** Compresses both directions. Call this method after OK to COMPRESS. */
  compress(): void {
    this.decompress();
    const deflate = createDeflateRaw({ flush: constants.Z_SYNC_FLUSH });
    deflate.pipe(this.#socket);
    deflate.on('error', () => {});
    this.#sink = deflate;
  }

  /** Decompresses the input. The output stays uncompressed. */
  decompress(): void {
    const inflate = createInflateRaw();
    this.#socket.removeAllListeners('data').removeAllListeners('close');
    this.#socket.pipe(inflate);
    // An error is expected, because the server closes the connection without ending the DEFLATE stream.
    inflate.on('error', () => {});
    this.#readFrom(inflate);
    inflate.once('close', () => this.#over());
  }

  /** Stops reading, like a client that hangs. */
  pause(): void {
    this.#socket.pause();
  }

  /** Reads all lines until the connection is over. */
  async rest(): Promise<string[]> {
    const lines: string[] = [];
    for (let line = await this.next(); line !== null; line = await this.next()) lines.push(line);
    return lines;
  }

  async startTls(): Promise<void> {
    this.#socket.removeAllListeners();
    const secure = connectTls({ socket: this.#socket, rejectUnauthorized: false });
    await once(secure, 'secureConnect');
    this.#socket = secure;
    this.#sink = secure;
    this.#listen(secure);
  }

  /** Reads the next line, and adds the line without its CRLF to `unread`. @returns the line; null if the connection is over */
  async next(): Promise<string | null> {
    for (;;) {
      const line = this.#take();
      if (line !== null) {
        this.received.push(line);
        this.unread.push(line);
        return line;
      }
      if (this.#closed) return null;
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(
          () =>
            reject(new Error(`no further line before the timeout; received:\n${this.received.join('\n')}`)),
          this.#patienceMs,
        );
        this.#onInput = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  #take(): string | null {
    let line = '';
    for (let at = 0; ; ) {
      const end = this.#input.indexOf('\r\n', at);
      if (end === -1) return null;
      const text = this.#input.toString('utf8', at, end);
      const octets = Number(/\{(\d+)\}$/.exec(text)?.[1] ?? -1);
      line += text;
      at = end + 2;
      if (octets === -1) {
        this.#input = this.#input.subarray(at);
        return line;
      }
      if (this.#input.length < at + octets) return null;
      line += JSON.stringify(this.#input.toString('utf8', at, at + octets));
      at += octets;
    }
  }

  #listen(socket: Socket): void {
    socket.setNoDelay(true);
    this.#readFrom(socket);
    socket.on('error', () => {});
    socket.once('close', () => this.#over());
  }

  #over(): void {
    this.#closed = true;
    this.#onInput();
  }

  #readFrom(source: Readable): void {
    source.on('data', (chunk: Buffer) => {
      this.#input = Buffer.concat([this.#input, chunk]);
      this.#onInput();
    });
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}
