/**
 * A client's connection: lines in, replies out, in order. The protocol asks for the next line once it has answered the last
 * one. Until then nothing more is read: what a client sends ahead waits in the network.
 */
import type { Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import { clientAddress, clientNetwork } from '../../net/client-network.ts';
import { within } from '../../model/within.ts';
import { LineReader, type ReadLine } from './line-reader.ts';

export interface ConnectionLimits {
  /** Octets of a line with its CRLF. */
  lineOctets: number;
  /** For the client's next line, or the next piece of what it sends. */
  idleMs: number;
  handshakeMs: number;
  /** For the whole connection: a client that sends one octet a minute is never silent. */
  connectionMs: number;
  /** For the client to close what was ended here. */
  lingerMs: number;
  /** What a client sent so long ago counts half. */
  halfLifeMs: number;
}

/** In octets: what a client that has just come counts as having sent, and the most that counts. */
const ACTIVITY = { ofNewcomer: 1_000, most: 64 * 1024 };

/** The last line that a client gets, without its CRLF, when it is not the protocol that ends the connection. */
export interface Farewells {
  idle: string;
  tooLong: string;
  shuttingDown: string;
}

export class ClientConnection {
  /** The client's IP address; empty where the connection ended before it was known. */
  readonly address: string;
  /** See `clientNetwork`. */
  readonly network: string;
  readonly #limits: ConnectionLimits;
  readonly #farewells: Farewells;
  readonly #lines: LineReader;
  #socket: Socket;
  /** `busy`: the protocol works on what the client said. The others: what is waited for. */
  #state: 'busy' | 'line' | 'octets' | 'handshake' | 'over' = 'busy';
  #wake = (): void => {};
  #isStopping = false;
  #activity = ACTIVITY.ofNewcomer;
  /** When that was true. */
  #activityAtMs = performance.now();

  constructor(socket: Socket, limits: ConnectionLimits, farewells: Farewells) {
    this.address = clientAddress(socket.remoteAddress ?? '') ?? '';
    this.network = clientNetwork(this.address);
    this.#limits = limits;
    this.#farewells = farewells;
    this.#lines = new LineReader(limits.lineOctets);
    this.#socket = socket;
    const lifetime = setTimeout(() => this.end(farewells.tooLong), limits.connectionMs);
    socket.once('close', () => {
      clearTimeout(lifetime);
      this.#state = 'over';
      this.#wake();
    });
    this.#listen(socket);
  }

  /** The next line; null when the connection is over. After a fault nothing that follows can be trusted. */
  async line(): Promise<ReadLine | null> {
    if (this.#isStopping) this.end(this.#farewells.shuttingDown);
    while (this.#state !== 'over') {
      const line = this.#lines.next();
      if (line !== null) return line;
      await this.#input('line');
    }
    return null;
  }

  /** Whatever arrives next, whether it has lines or not; null when the connection is over. `stop` waits for its end. */
  async octets(): Promise<Buffer | null> {
    while (this.#state !== 'over' && !this.#lines.hasMore) await this.#input('octets');
    return this.#state === 'over' ? null : this.#lines.takeRest();
  }

  /** Puts back what `octets` gave too much of. */
  unread(octets: Buffer): void {
    this.#lines.push(octets);
  }

  /** What the connection is secured with; null: it is not. */
  get tls(): { protocol: string; cipher: string } | null {
    const socket = this.#socket;
    if (!(socket instanceof TLSSocket) || this.#state === 'handshake') return null;
    return { protocol: socket.getProtocol() ?? 'TLS', cipher: socket.getCipher().standardName };
  }

  /** Whether the client sent something that was not asked for yet. */
  get isAhead(): boolean {
    return this.#lines.hasMore || this.#socket.readableLength > 0;
  }

  /** Whether it is the client's turn: nothing that it said is still worked on. */
  get isWaiting(): boolean {
    return this.#state !== 'busy' && this.#state !== 'over';
  }

  /** How much the client has sent lately, in octets. */
  get activity(): number {
    return this.#activity * 0.5 ** ((performance.now() - this.#activityAtMs) / this.#limits.halfLifeMs);
  }

  /** Resolves after so long, or as soon as the client says something. @returns whether it said nothing */
  async isSilentFor(durationMs: number): Promise<boolean> {
    if (this.#state !== 'over') await within(durationMs, this.#input('line'), undefined);
    return !this.isAhead;
  }

  write(reply: string): void {
    if (this.#state !== 'over' && this.#socket.writable) this.#socket.write(`${reply}\r\n`);
  }

  /** Resolves when the client has made the connection secure, or has not, and it is over. */
  async startTls(secureContext: SecureContext): Promise<void> {
    if (this.#state === 'over') return;
    const plain = this.#socket;
    this.#state = 'handshake';
    for (const event of ['data', 'timeout'] as const) plain.removeAllListeners(event);
    plain.setTimeout(0);
    // Somebody on the way may have put commands behind STARTTLS: they must not be taken for the client's (CVE-2011-0411).
    this.#lines.takeRest();
    plain.read();
    const secure = new TLSSocket(plain, { isServer: true, secureContext });
    this.#socket = secure;
    const timer = setTimeout(() => plain.destroy(), this.#limits.handshakeMs);
    secure.once('_tlsError', () => plain.destroy());
    secure.once('secure', () => this.#wake());
    const secured = this.#woken();
    this.#listen(secure);
    await secured;
    clearTimeout(timer);
    if (this.#state === 'handshake') this.#state = 'busy';
  }

  /** Ends the connection, once what the client is saying is answered. */
  stop(): void {
    this.#isStopping = true;
    if (this.#state === 'line' || this.#state === 'handshake') this.end(this.#farewells.shuttingDown);
  }

  /** Says the last line. Input is read and dropped until the client closes: left unread, it would have the line dropped. */
  end(farewell: string): void {
    if (this.#state === 'over') return;
    const wasHandshake = this.#state === 'handshake';
    this.#state = 'over';
    this.#lines.takeRest();
    this.#wake();
    const socket = this.#socket;
    if (wasHandshake) {
      socket.destroy();
      return;
    }
    socket.end(`${farewell}\r\n`);
    socket.resume();
    const linger = setTimeout(() => socket.destroy(), this.#limits.lingerMs);
    socket.once('close', () => clearTimeout(linger));
  }

  #listen(socket: Socket): void {
    socket.setTimeout(this.#limits.idleMs, () => this.end(this.#farewells.idle));
    // The client is gone or the connection is broken: no reply can reach it.
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      if (this.#state === 'over') return;
      this.#activity = Math.min(this.activity + chunk.length, ACTIVITY.most);
      this.#activityAtMs = performance.now();
      this.#lines.push(chunk);
      this.#state = 'busy';
      socket.pause();
      this.#wake();
    });
  }

  #input(state: 'line' | 'octets'): Promise<void> {
    this.#state = state;
    this.#socket.resume();
    return this.#woken();
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
