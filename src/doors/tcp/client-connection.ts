/**
 * A client's connection. It delivers lines to a protocol, such as SMTP, and sends the protocol's replies. Nothing is read from the socket
 * until the protocol has answered a line and requests the next line, so pipelined input stays in the network buffers.
 */
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { constants, createDeflateRaw, createInflateRaw } from 'node:zlib';
import { clientAddress, clientNetwork, isLoopback } from '../../net/client-network.ts';
import type { SecureContextOf } from '../../net/tls.ts';
import { within } from '../../concurrency/within.ts';
import { CommandPacer } from './command-pacer.ts';
import { ReadQueue, type ReadQueueOptions } from './read-queue.ts';
import { LineReader, type ReadLine, type ReadOctets } from './line-reader.ts';

export interface ConnectionLimits {
  /** Maximum octets of a line, including its CRLF. */
  lineOctets: number;
  /** Maximum time without input from the client. */
  idleMs: number;
  handshakeMs: number;
  /** Maximum duration of a connection, needed because a client that sends one octet a minute is never idle. Null means no limit. */
  connectionMs: number | null;
  /** Time limit for the client to close the connection after the last reply. */
  lingerMs: number;
  /** Half-life of `activity`: octets that the client sent this long ago count half. */
  halfLifeMs: number;
  /** `drained` destroys the connection of a client that reads nothing for this long. */
  stallMs: number;
  /** How long `slowDown` delays a reply. */
  errorDelayMs: number;
}

/** Maximum number of octets to buffer for a client that does not read. */
const MAX_UNSENT = 256 * 1024;
/** How many octets of content to read from one connection before other connections are served. */
const SLICE_OCTETS = 64 * 1024;
/**
 * Content is read at 16 MB/s in total, because content takes several times as long to process as to read. When a busy process is late, it
 * reads the overdue slices at once: at most four, which is about a millisecond of work.
 */
const PACE = { everyMs: 4, mostAtOnce: 4 };
const contentPace: ReadQueueOptions = {
  schedule: (callback) => setTimeout(callback, PACE.everyMs),
  batchSize: (sinceMs) => Math.min(Math.max(Math.floor(sinceMs / PACE.everyMs), 1), PACE.mostAtOnce),
};
/** After a pause of this length, trusted connections may read 1 MB before the pace applies. */
const MAX_UNUSED_MS = 64;
/**
 * A trusted connection waits only until other events are handled if earlier content was read slower than the pace: the server has
 * processed that content in the meantime, or has been idle.
 */
const trustedPace: ReadQueueOptions = {
  ...contentPace,
  schedule: (callback, sinceMs) => {
    if (sinceMs >= PACE.everyMs) setImmediate(callback);
    else setTimeout(callback, PACE.everyMs - sinceMs);
  },
  unusedMs: (sinceMs, admitted) => Math.min(Math.max(sinceMs - admitted * PACE.everyMs, 0), MAX_UNUSED_MS),
};
/** Two queues, so that trusted connections do not wait for untrusted connections. */
const CONTENT = { trusted: new ReadQueue(trustedPace), untrusted: new ReadQueue(contentPace) };
/** With `memLevel` 5, deflate needs 144 KiB of memory instead of the default of 256 KiB, and its output is hardly larger. */
const COMPRESSION = { windowBits: 15, memLevel: 5, level: 6, flush: constants.Z_SYNC_FLUSH };
/**
 * How many octets to inflate at a time. Attack: a few octets inflate to gigabytes. Inflation therefore waits until the protocol has read
 * the earlier output.
 */
const UNPACKED_OCTETS = 16 * 1024;

/** The initial and the maximum value of `activity`, in octets. */
const ACTIVITY = { ofNewcomer: 1_000, most: 64 * 1024 };

/** Final lines to clients, without CRLF, when a time limit or a shutdown ends the connection. */
export interface Farewells {
  /** The final line to an idle client. Null means that an idle connection is closed without a final line. */
  idle: string | null;
  tooLong: string;
  shuttingDown: string;
}

export class ClientConnection {
  /** The client's IP address, from the PROXY header if there is a proxy. Empty if the connection ended before the address was known. */
  readonly address: string;
  /** The network of `address` (see `clientNetwork`). */
  readonly network: string;
  /** Whether the client has signed in or is a relay. A trusted connection is never closed to admit an untrusted connection. */
  isTrusted = false;
  /** Whether the client is on this machine and, if there is a proxy, the proxy is too. */
  readonly #isLocal: boolean;
  readonly #limits: ConnectionLimits;
  readonly #farewells: Farewells;
  readonly #lines: LineReader;
  #socket: Socket;
  /** The streams for input and replies: the socket, or the compression layer on top of the socket. */
  #source: Readable;
  #sink: Writable;
  /** `busy`: the protocol is processing input. `over`: the connection has ended. The other states name the awaited input. */
  #state: 'busy' | 'line' | 'octets' | 'handshake' | 'over' = 'busy';
  #wake = (): void => {};
  #isStopping = false;
  /** How many commands are running while the connection reads further input (`whileReading`). */
  #running = 0;
  readonly #pacer = new CommandPacer();
  /** The number of octets read in the current slice. */
  #sliceOctets = 0;
  /** The time at which `pauseIdleUntil` suspended the idle time limit. Null while the idle time limit applies. */
  #idlePausedSinceMs: number | null = null;
  #activity = ACTIVITY.ofNewcomer;
  /** The time as of which `#activity` was computed. */
  #activityAtMs = performance.now();

  /** @param behindProxy the client's IP address from a trusted proxy; null if the socket's peer is the client */
  constructor(
    socket: Socket,
    limits: ConnectionLimits,
    farewells: Farewells,
    behindProxy: string | null = null,
  ) {
    const peer = clientAddress(socket.remoteAddress ?? '') ?? '';
    this.address = behindProxy ?? peer;
    // Attack: eavesdropping. A client on a remote proxy's machine has a loopback address, but its password crosses the network to us.
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
   * Reads the next line, after the client has received most of the replies to earlier lines. Null if the connection has ended. After a line
   * fault, the rest of the input cannot be trusted.
   */
  async line(): Promise<ReadLine | null> {
    this.#sliceOctets = 0;
    return this.#nextOf(() => this.#lines.next());
  }

  /** Like `line`, for lines that may contain any octets. */
  async rawLine(): Promise<ReadOctets | null> {
    return this.#nextOf(() => this.#lines.nextOctets());
  }

  async #nextOf<Read>(next: () => Read | null): Promise<Read | null> {
    if (this.#pacer.isOver && this.#lines.hasMore) await this.#pacer.pass(this.isTrusted);
    if (this.#isStopping && this.#running === 0) this.end(this.#farewells.shuttingDown);
    // Attack: a client sends short commands with long replies and does not read the replies.
    if (this.#unsent > MAX_UNSENT) await this.drained();
    while (this.#state !== 'over') {
      const line = next();
      if (line !== null) return line;
      await this.#input('line');
    }
    return null;
  }

  /**
   * Resolves when input arrives, the connection ends, or `event` resolves, but after at most `mostMs`.
   * @param event a promise that must not reject @returns whether `mostMs` have passed
   */
  async waitForInputOr(event: Promise<void>, mostMs: number): Promise<boolean> {
    if (this.#isStopping) this.end(this.#farewells.shuttingDown);
    if (this.#state === 'over' || this.#lines.hasMore) return false;
    const wait = Promise.race([this.#input('line'), event]);
    const isLate = await within(
      mostMs,
      wait.then(() => false),
      true,
    );
    if (this.#state === 'line') this.#state = 'busy';
    return isLate;
  }

  /**
   * Reads the next input as raw octets. Null if the connection has ended. `stop` does not interrupt this read. Connections with much input
   * are read round-robin. Otherwise Node.js would read two megabytes from each connection before it handles any other event.
   */
  async octets(): Promise<Buffer | null> {
    while (this.#state !== 'over' && !this.#lines.hasMore) {
      if (this.#sliceOctets >= SLICE_OCTETS) {
        this.#sliceOctets = 0;
        const queue = this.isTrusted ? CONTENT.trusted : CONTENT.untrusted;
        await new Promise<void>((resolve) => queue.join(resolve));
      } else await this.#input('octets');
    }
    return this.#state === 'over' ? null : this.#lines.takeRest();
  }

  /**
   * Waits until `done` resolves, the connection ends, or `mostMs` have passed. The wait does not count as client idle time.
   * @param done a promise that must not reject
   */
  async pauseIdleUntil(done: Promise<void>, mostMs: number): Promise<void> {
    if (this.#state === 'over') return;
    const socket = this.#socket;
    const { timeout } = socket;
    socket.setTimeout(0);
    this.#idlePausedSinceMs = performance.now();
    await within(mostMs, Promise.race([done, this.#woken()]), undefined);
    this.#activityAtMs += performance.now() - this.#idlePausedSinceMs;
    this.#idlePausedSinceMs = null;
    if (timeout !== undefined) socket.setTimeout(timeout);
  }

  /** Delays the reply to a client with many errors (`ClientErrors`). Resolves early if the connection ends. */
  async slowDown(): Promise<void> {
    await this.pauseIdleUntil(new Promise(() => {}), this.#limits.errorDelayMs);
  }

  /** Puts back octets that the method `octets` returned but the protocol did not use. The next read returns them. */
  unread(octets: Buffer): void {
    this.#lines.push(octets);
  }

  /** The TLS version and cipher. Null if the connection is not encrypted. */
  get tls(): { protocol: string; cipher: string } | null {
    const socket = this.#socket;
    if (!(socket instanceof TLSSocket) || this.#state === 'handshake') return null;
    return { protocol: socket.getProtocol() ?? 'TLS', cipher: socket.getCipher().standardName };
  }

  /** Whether the connection cannot be intercepted: TLS is on, or the client is on this machine. */
  get isPrivate(): boolean {
    return this.tls !== null || this.#isLocal;
  }

  /** Whether the client has sent input that the protocol has not requested yet. */
  get isAhead(): boolean {
    return this.#lines.hasMore || this.#source.readableLength > 0 || this.#socket.readableLength > 0;
  }

  /** Whether all input has been processed and answered, so that the connection is waiting for the client. */
  get isWaiting(): boolean {
    return this.#running === 0 && this.#state !== 'busy' && this.#state !== 'over';
  }

  /** Whether the connection will end as soon as the commands in progress have been answered. If so, do not begin another command. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Octets that the client sent recently: a sum that decays with the half-life `halfLifeMs`. */
  get activity(): number {
    const nowMs = this.#idlePausedSinceMs ?? performance.now();
    return this.#activity * 0.5 ** ((nowMs - this.#activityAtMs) / this.#limits.halfLifeMs);
  }

  /** Resolves after `durationMs`, or as soon as input arrives. @returns whether no input arrived */
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

  /** Sends data without adding a CRLF. Call `drained` between large pieces. */
  send(data: string | Buffer): void {
    if (this.#state !== 'over' && this.#sink.writable) this.#sink.write(data);
  }

  /** Resolves when the client has received most of the output. Destroys the connection of a client that receives nothing for `stallMs`. */
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

  /** Sets the time limit for the client's silence from now on. */
  set idleMs(durationMs: number) {
    this.#socket.setTimeout(durationMs);
  }

  /** Sets the maximum octets of a line, including its CRLF, from now on. */
  set lineOctets(octets: number) {
    this.#lines.maxOctets = octets;
  }

  /**
   * Starts TLS. Resolves after the handshake, or when it has failed and the connection has ended.
   * @param acceptsFirstInput only for TLS from the first byte: receives the client's first input, and returns false to end the connection
   */
  async startTls(
    secureContextOf: SecureContextOf,
    acceptsFirstInput?: (first: Buffer) => boolean,
  ): Promise<void> {
    if (this.#state === 'over') return;
    const plain = this.#socket;
    this.#state = 'handshake';
    for (const event of ['data', 'timeout'] as const) plain.removeAllListeners(event);
    plain.setTimeout(0);
    const timer = setTimeout(() => plain.destroy(), this.#limits.handshakeMs);
    if (acceptsFirstInput === undefined) {
      // Attack: a man in the middle appends cleartext commands to STARTTLS (CVE-2011-0411). Discard all input that precedes the handshake.
      this.#lines.takeRest();
      plain.read();
    } else if (!(await this.#checkFirstInput(acceptsFirstInput))) {
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

  /**
   * Checks the first input with `acceptsFirstInput` and leaves the input in the socket for the handshake.
   * @returns false if the connection ended
   */
  async #checkFirstInput(acceptsFirstInput: (first: Buffer) => boolean): Promise<boolean> {
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
    if (!acceptsFirstInput(first)) {
      socket.destroy();
      return false;
    }
    socket.unshift(first);
    return true;
  }

  /** Compresses input and output from now on (RFC 1951, raw deflate). */
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
    // The end of the compressed stream ends the connection, even if more input follows.
    inflate.once('end', () => socket.destroy());
    this.#readFrom(inflate);
    inflate.pause();
    socket.pipe(inflate);
    deflate.pipe(socket);
    socket.once('close', () => {
      inflate.destroy();
      deflate.destroy();
    });
  }

  get isCompressed(): boolean {
    return this.#sink !== this.#socket;
  }

  /** Ends the connection, after the commands in progress have been answered. */
  stop(): void {
    this.#isStopping = true;
    if (this.#running > 0) return;
    if (this.#state === 'line' || this.#state === 'handshake') this.end(this.#farewells.shuttingDown);
  }

  /** Lets the protocol read the next command while `command` is running. `stop` waits until none is running. */
  async whileReading(command: Promise<void>): Promise<void> {
    this.#running += 1;
    try {
      await command;
    } finally {
      this.#running -= 1;
      if (this.#isStopping) this.stop();
    }
  }

  /**
   * Sends a last line and ends the connection. Input is discarded until the client closes the connection: if input stayed unread, the
   * operating system would reset the connection, and the client might not receive the last line.
   */
  end(farewell: string): void {
    this.#finish(`${farewell}\r\n`);
  }

  /** Ends the connection without a last line, after all output has been sent. */
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
    // The connection is broken, so no reply can reach the client.
    socket.on('error', () => socket.destroy());
    this.#readFrom(socket);
  }

  #readFrom(source: Readable): void {
    source.on('data', (chunk: Buffer) => {
      if (this.#state === 'over') return;
      this.#activity = Math.min(this.activity + chunk.length, ACTIVITY.most);
      this.#activityAtMs = performance.now();
      this.#sliceOctets += chunk.length;
      this.#pacer.begin();
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
