/**
 * A client's connection: lines in, replies out, in order. The protocol asks for the next line once it has answered the last
 * one. Until then nothing more is read: what a client sends ahead waits in the network.
 */
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { constants, createDeflateRaw, createInflateRaw } from 'node:zlib';
import { clientAddress, clientNetwork, isLoopback } from '../../net/client-network.ts';
import type { SecureContextOf } from '../../net/tls.ts';
import { within } from '../../concurrency/within.ts';
import { CommandPacer } from './command-pacer.ts';
import { ReadingLine, type ReadingLineOptions } from './reading-line.ts';
import { LineReader, type ReadLine, type ReadOctets } from './line-reader.ts';

export interface ConnectionLimits {
  /** Octets of a line with its CRLF. */
  lineOctets: number;
  /** For the client's next line, or the next piece of what it sends. */
  idleMs: number;
  handshakeMs: number;
  /** For the whole connection: a client that sends one octet a minute is never silent. null: the protocol ends it. */
  connectionMs: number | null;
  /** For the client to close what was ended here. */
  lingerMs: number;
  /** What a client sent so long ago counts half. */
  halfLifeMs: number;
  /** For a client to take more of what it is sent, where `drained` is asked. */
  stallMs: number;
}

/** Octets that may wait for a client to read them. */
const MAX_UNSENT = 256 * 1024;
/** How much of content is read before others have their turn. */
const TURN_OCTETS = 64 * 1024;
/**
 * Content is read at 16 MB/s of all connections together: what follows takes several times as long as to read it. A busy process makes up for
 * turns that came late, but for no more than a millisecond of work at a time.
 */
const PACE = { everyMs: 4, mostAtOnce: 4 };
const nextTurn: ReadingLineOptions = {
  later: (callback) => setTimeout(callback, PACE.everyMs),
  atOnce: (sinceMs) => Math.min(Math.max(Math.floor(sinceMs / PACE.everyMs), 1), PACE.mostAtOnce),
};
/** Those who have signed in do not wait for the others. */
const CONTENT = { ofTrusted: new ReadingLine(nextTurn), ofOthers: new ReadingLine(nextTurn) };
/** A window of 32 KiB and tables of 32 KiB: a quarter of what zlib takes by itself, and hardly more octets. */
const COMPRESSION = { windowBits: 15, memLevel: 5, level: 6, flush: constants.Z_SYNC_FLUSH };
/** What is unpacked at a time: nothing more is unpacked before it was read, whatever a few octets may stand for. */
const UNPACKED_OCTETS = 16 * 1024;

/** In octets: what a client that has just come counts as having sent, and the most that counts. */
const ACTIVITY = { ofNewcomer: 1_000, most: 64 * 1024 };

/** The last line that a client gets, without its CRLF, when it is not the protocol that ends the connection. */
export interface Farewells {
  /** null: it ends without a word. */
  idle: string | null;
  tooLong: string;
  shuttingDown: string;
}

export class ClientConnection {
  /** The client's IP address, behind a proxy as its header says; empty where the connection ended before it was known. */
  readonly address: string;
  /** See `clientNetwork`. */
  readonly network: string;
  /** It is known whose it is: it gives way to nobody of whom that is not known. */
  isTrusted = false;
  /** The client, and the proxy before it, are on this machine. */
  readonly #isLocal: boolean;
  readonly #limits: ConnectionLimits;
  readonly #farewells: Farewells;
  readonly #lines: LineReader;
  #socket: Socket;
  /** Where input comes from, and replies go to: the socket, or its compressed layer. */
  #source: Readable;
  #sink: Writable;
  /** `busy`: the protocol works on what the client said. The others: what is waited for. */
  #state: 'busy' | 'line' | 'octets' | 'handshake' | 'over' = 'busy';
  #wake = (): void => {};
  #isStopping = false;
  readonly #turn = new CommandPacer();
  /** Octets of content. */
  #sinceTurn = 0;
  /** It waits for us. Null: it does not. */
  #keptSinceMs: number | null = null;
  #activity = ACTIVITY.ofNewcomer;
  /** When that was true. */
  #activityAtMs = performance.now();

  /** @param behindProxy the client's IP address as a trusted proxy gives it; null: the other end of the socket is the client */
  constructor(
    socket: Socket,
    limits: ConnectionLimits,
    farewells: Farewells,
    behindProxy: string | null = null,
  ) {
    const peer = clientAddress(socket.remoteAddress ?? '') ?? '';
    this.address = behindProxy ?? peer;
    // Attack: a client on the proxy's own machine has a loopback address there, and its password crosses a network here.
    this.#isLocal = isLoopback(peer) && isLoopback(this.address);
    this.network = clientNetwork(this.address);
    this.#limits = limits;
    this.#farewells = farewells;
    this.#lines = new LineReader(limits.lineOctets);
    this.#socket = socket;
    this.#source = socket;
    this.#sink = socket;
    const { connectionMs } = limits;
    const lifetime =
      connectionMs === null ? undefined : setTimeout(() => this.end(farewells.tooLong), connectionMs);
    socket.once('close', () => {
      clearTimeout(lifetime);
      this.#state = 'over';
      this.#wake();
    });
    this.#listen(socket);
  }

  /**
   * The next line, once the client has taken most of the answers to those before; null when the connection is over. After a fault nothing that
   * follows can be trusted.
   */
  async line(): Promise<ReadLine | null> {
    this.#sinceTurn = 0;
    return this.#nextOf(() => this.#lines.next());
  }

  /** As `line`, for lines that may hold any octets. */
  async rawLine(): Promise<ReadOctets | null> {
    return this.#nextOf(() => this.#lines.nextOctets());
  }

  async #nextOf<Read>(next: () => Read | null): Promise<Read | null> {
    if (this.#turn.isOver && this.#lines.hasMore) await this.#turn.pass(this.isTrusted);
    if (this.#isStopping) this.end(this.#farewells.shuttingDown);
    // Attack: commands of few octets with long answers, and a client that does not read these.
    if (this.#unsent > MAX_UNSENT) await this.drained();
    while (this.#state !== 'over') {
      const line = next();
      if (line !== null) return line;
      await this.#input('line');
    }
    return null;
  }

  /** Resolves when the client says something, the connection is over, or the promise resolves. It must not reject. */
  async inputOr(happens: Promise<void>): Promise<void> {
    if (this.#isStopping) this.end(this.#farewells.shuttingDown);
    if (this.#state === 'over' || this.#lines.hasMore) return;
    await Promise.race([this.#input('line'), happens]);
    if (this.#state === 'line') this.#state = 'busy';
  }

  /**
   * Whatever arrives next, whether it has lines or not; null when the connection is over. `stop` waits for its end. Those who send much take turns:
   * left alone, the system reads two megabytes from each before it asks for anything else.
   */
  async octets(): Promise<Buffer | null> {
    while (this.#state !== 'over' && !this.#lines.hasMore) {
      if (this.#sinceTurn >= TURN_OCTETS) {
        this.#sinceTurn = 0;
        const line = this.isTrusted ? CONTENT.ofTrusted : CONTENT.ofOthers;
        await new Promise<void>((resolve) => line.join(resolve));
      } else await this.#input('octets');
    }
    return this.#state === 'over' ? null : this.#lines.takeRest();
  }

  /** Waits for something that is done here: the client's silence does not count. @param done must not reject @returns at the latest after so long, or when the connection is over */
  async keptWaiting(done: Promise<void>, mostMs: number): Promise<void> {
    if (this.#state === 'over') return;
    const socket = this.#socket;
    const { timeout } = socket;
    socket.setTimeout(0);
    this.#keptSinceMs = performance.now();
    await within(mostMs, Promise.race([done, this.#woken()]), undefined);
    this.#activityAtMs += performance.now() - this.#keptSinceMs;
    this.#keptSinceMs = null;
    if (timeout !== undefined) socket.setTimeout(timeout);
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

  /** Whether nobody on the way hears what is said: TLS is on, or the client is on this machine. */
  get isPrivate(): boolean {
    return this.tls !== null || this.#isLocal;
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
    const nowMs = this.#keptSinceMs ?? performance.now();
    return this.#activity * 0.5 ** ((nowMs - this.#activityAtMs) / this.#limits.halfLifeMs);
  }

  /** Resolves after so long, or as soon as the client says something. @returns whether it said nothing */
  async isSilentFor(durationMs: number): Promise<boolean> {
    if (this.#state !== 'over') await within(durationMs, this.#input('line'), undefined);
    return !this.isAhead;
  }

  get isOver(): boolean {
    return this.#state === 'over';
  }

  write(reply: string): void {
    this.send(`${reply}\r\n`);
  }

  /** As it is, without a CRLF. @see drained */
  send(data: string | Buffer): void {
    if (this.#state !== 'over' && this.#sink.writable) this.#sink.write(data);
  }

  /** Resolves when the client has taken most of what was sent, or has taken nothing for too long, and it is over. */
  async drained(): Promise<void> {
    while (this.#state !== 'over' && this.#unsent > MAX_UNSENT) {
      const before = this.#socket.bytesWritten - this.#socket.writableLength;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#sink.once('drain', resolve);
      this.#socket.once('close', resolve);
      await within(this.#limits.stallMs, promise, undefined);
      this.#sink.off('drain', resolve);
      this.#socket.off('close', resolve);
      if (this.#unsent <= MAX_UNSENT) return;
      if (this.#socket.bytesWritten - this.#socket.writableLength === before) this.#socket.destroy();
    }
  }

  get #unsent(): number {
    const layer = this.#sink === this.#socket ? 0 : this.#sink.writableLength;
    return layer + this.#socket.writableLength;
  }

  /** How long the client may be silent from now on. */
  set idleMs(durationMs: number) {
    this.#socket.setTimeout(durationMs);
  }

  /** Of a line with its CRLF, from now on. */
  set lineOctets(octets: number) {
    this.#lines.maxOctets = octets;
  }

  /**
   * Resolves when the client has made the connection secure, or has not, and it is over.
   * @param begins for TLS from the first byte: is called with what the client sends first; false ends the connection
   */
  async startTls(secureContextOf: SecureContextOf, begins?: (first: Buffer) => boolean): Promise<void> {
    if (this.#state === 'over') return;
    const plain = this.#socket;
    this.#state = 'handshake';
    for (const event of ['data', 'timeout'] as const) plain.removeAllListeners(event);
    plain.setTimeout(0);
    const timer = setTimeout(() => plain.destroy(), this.#limits.handshakeMs);
    if (begins === undefined) {
      // An attacker in between may have put commands behind STARTTLS. They must not count as the client's (CVE-2011-0411).
      this.#lines.takeRest();
      plain.read();
    } else if (!(await this.#beginsAs(begins))) {
      clearTimeout(timer);
      return;
    }
    const secure = new TLSSocket(plain, {
      isServer: true,
      secureContext: secureContextOf() ?? undefined,
      SNICallback: (name, done) => done(null, secureContextOf(name) ?? undefined),
    });
    this.#socket = secure;
    this.#source = secure;
    this.#sink = secure;
    secure.once('_tlsError', () => plain.destroy());
    secure.once('secure', () => this.#wake());
    const secured = this.#woken();
    this.#listen(secure);
    await secured;
    clearTimeout(timer);
    if (this.#state === 'handshake') this.#state = 'busy';
  }

  /** Leaves what arrived in the socket, for the handshake to read. */
  async #beginsAs(begins: (first: Buffer) => boolean): Promise<boolean> {
    const socket = this.#socket;
    let first: Buffer | null = null;
    socket.once('data', (chunk: Buffer) => {
      socket.pause();
      first = chunk;
      this.#wake();
    });
    socket.resume();
    await this.#woken();
    if (this.isOver || first === null) return false;
    if (!begins(first)) {
      socket.destroy();
      return false;
    }
    socket.unshift(first);
    return true;
  }

  /** What is sent and read from now on is compressed (RFC 1951, without headers). */
  compress(): void {
    if (this.#state === 'over') return;
    const socket = this.#socket;
    const inflate = createInflateRaw({ chunkSize: UNPACKED_OCTETS });
    const deflate = createDeflateRaw(COMPRESSION);
    this.#source.removeAllListeners('data');
    inflate.write(this.#lines.takeRest());
    this.#source = inflate;
    this.#sink = deflate;
    for (const layer of [inflate, deflate]) layer.on('error', () => socket.destroy());
    // A client that sends nonsense after the end of the stream, too.
    inflate.once('end', () => socket.destroy());
    this.#hear(inflate);
    inflate.pause();
    socket.pipe(inflate);
    deflate.pipe(socket);
    socket.once('close', () => {
      inflate.destroy();
      deflate.destroy();
    });
  }

  /** Whether `compress` was called. */
  get isCompressed(): boolean {
    return this.#sink !== this.#socket;
  }

  /** Ends the connection, once what the client is saying is answered. */
  stop(): void {
    this.#isStopping = true;
    if (this.#state === 'line' || this.#state === 'handshake') this.end(this.#farewells.shuttingDown);
  }

  /** Says the last line. Input is read and dropped until the client closes: left unread, it would have the line dropped. */
  end(farewell: string): void {
    this.#finish(`${farewell}\r\n`);
  }

  /** Ends the connection without a word, once what was sent is there. */
  close(): void {
    this.#finish('');
  }

  #finish(last: string): void {
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
    this.#sink.end(last);
    this.#source.resume();
    const linger = setTimeout(() => socket.destroy(), this.#limits.lingerMs);
    socket.once('close', () => clearTimeout(linger));
  }

  #listen(socket: Socket): void {
    const { idle } = this.#farewells;
    socket.setTimeout(this.#limits.idleMs, () => (idle === null ? this.close() : this.end(idle)));
    // The client is gone or the connection is broken: no reply can reach it.
    socket.on('error', () => socket.destroy());
    this.#hear(socket);
  }

  #hear(source: Readable): void {
    source.on('data', (chunk: Buffer) => {
      if (this.#state === 'over') return;
      this.#activity = Math.min(this.activity + chunk.length, ACTIVITY.most);
      this.#activityAtMs = performance.now();
      this.#sinceTurn += chunk.length;
      this.#turn.begin();
      this.#lines.push(chunk);
      this.#state = 'busy';
      source.pause();
      this.#wake();
    });
  }

  #input(state: 'line' | 'octets'): Promise<void> {
    this.#state = state;
    this.#source.resume();
    return this.#woken();
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
