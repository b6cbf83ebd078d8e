/** A test listener, a test client with control over each byte, and dialogues as text. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { inspect } from 'node:util';
import { LIMITS, type SmtpLimits, type SmtpListenerOptions, startSmtpListener } from './listener.ts';
import { Spool } from './spool.ts';

interface Received {
  addressees: string[];
  data: string;
}

/** A dialogue up to the content of a message. */
export const MESSAGE = `
  S: 220 mx.example ESMTP
  C: HELO client
  S: 250 mx.example
  C: MAIL FROM:<>
  C: RCPT TO:<b+1@send.test>
  C: DATA
  S: 250 2.1.0 OK
  S: 250 2.1.5 OK
  S: 354 End with a dot on a line of its own`;

export type TestListener = Awaited<ReturnType<typeof startTestListener>>;

/** Starts a listener that accepts mail for local parts that begin with `b+`. */
export async function startTestListener(
  options: Partial<Omit<SmtpListenerOptions<string>, 'limits'>> & { limits?: Partial<SmtpLimits> } = {},
) {
  const received: Received[] = [];
  const listener = await startSmtpListener<string>({
    listenAddress: { addresses: ['::'], port: 0 },
    hostname: 'mx.example',
    secureContext: () => null,
    spool: TEST_SPOOL,
    route: async ({ forwardPath }) =>
      forwardPath.startsWith('b+') ? { addressee: forwardPath } : { refusal: 'noSuchRecipient' },
    receive: async ({ recipients }, data) => {
      received.push({ addressees: recipients.map((one) => one.addressee), data: data.toString('latin1') });
      return 'accepted';
    },
    ...options,
    limits: { ...LIMITS, greetMs: 5, errorDelayMs: 1, ...options.limits },
  });
  return { ...listener, received };
}

/** Each test process has a folder, in which no file remains. */
export const TEST_SPOOL = new Spool(tmpdir(), { error: (line: object) => assert.fail(inspect(line)) });

const PATIENCE_MS = 30_000;

export class TestClient implements Disposable {
  #socket: Socket;
  #input = '';
  #closed = false;
  #onInput = (): void => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#listen(socket);
  }

  /** @param localAddress an address in 127.0.0.0/8. Each address counts as a separate client. */
  static async connect(port: number, host = '127.0.0.1', localAddress?: string): Promise<TestClient> {
    const socket = connect({ port, host, ...(localAddress === undefined ? {} : { localAddress }) });
    await once(socket, 'connect');
    return new TestClient(socket);
  }

  #listen(socket: Socket): void {
    socket.setNoDelay(true);
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      this.#input += chunk;
      this.#onInput();
    });
    socket.on('error', () => {});
    socket.once('close', () => {
      this.#closed = true;
      this.#onInput();
    });
    // The server has ended the connection, so close our side like any client.
    socket.once('end', () => socket.end());
  }

  send(text: string | Buffer): void {
    this.#socket.write(text);
  }

  /** Sends each piece after the previous one has been written, so that the server receives several packets. */
  async sendApart(pieces: readonly string[]): Promise<void> {
    for (const piece of pieces) {
      await new Promise((resolve) => this.#socket.write(piece, resolve));
      await new Promise(setImmediate);
    }
  }

  /** Octets that the server has not received yet. */
  get unsentOctets(): number {
    return this.#socket.writableLength;
  }

  /** Ends the output of the client. */
  finish(): void {
    this.#socket.end();
  }

  /** The next line without CRLF. Null if the connection has ended. */
  async line(): Promise<string | null> {
    const endMs = Date.now() + PATIENCE_MS;
    for (;;) {
      const end = this.#input.indexOf('\r\n');
      if (end !== -1) {
        const line = this.#input.slice(0, end);
        this.#input = this.#input.slice(end + 2);
        return line;
      }
      if (this.#closed) return null;
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`no reply; the input so far is ${JSON.stringify(this.#input)}`)),
          endMs - Date.now(),
        );
        this.#onInput = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /** All lines until the connection ends. */
  async rest(): Promise<string[]> {
    const lines: string[] = [];
    for (let line = await this.line(); line !== null; line = await this.line()) lines.push(line);
    return lines;
  }

  /** Plays a dialogue on this connection (see the function `play`). */
  async play(dialogue: string): Promise<void> {
    let toSend = '';
    for (const line of dialogue.split('\n').map((text) => text.trimStart())) {
      const [, side, text = ''] = /^([CRS]): ?(.*)$/.exec(line) ?? [];
      if (side === 'C') toSend += `${text}\r\n`;
      if (side === 'R') toSend += JSON.parse(`"${text}"`) as string;
      if (side !== 'S') continue;
      if (toSend !== '') this.send(toSend);
      toSend = '';
      const expected = text === '(closed)' ? null : text;
      assert.equal(await this.line(), expected, dialogue);
    }
    if (toSend !== '') this.send(toSend);
  }

  /** Starts TLS after the reply 220 to STARTTLS. */
  async startTls(): Promise<void> {
    this.#socket.removeAllListeners();
    const secure: TLSSocket = connectTls({ socket: this.#socket, rejectUnauthorized: false });
    await once(secure, 'secureConnect');
    this.certificate = secure.getPeerX509Certificate()?.fingerprint256 ?? null;
    this.#socket = secure;
    this.#listen(secure);
  }

  certificate: string | null = null;

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}

/**
 * Plays a dialogue on a new connection. Each line is `C: text of the client` (CRLF is added), `R: raw bytes` (with JSON escapes), or
 * `S: expected reply`, where `(closed)` is the end of the connection. All client input before a reply is sent at once.
 */
export async function play(port: number, dialogue: string): Promise<void> {
  using client = await TestClient.connect(port);
  await client.play(dialogue);
}
