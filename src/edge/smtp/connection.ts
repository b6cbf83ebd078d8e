/**
 * One connection: bytes in, replies out, in order. It takes one command at a time, and looks at no more input while a
 * message is being received. What a client may have of replies without reading them is bounded by the number of commands.
 */
import type { Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import { inboundMessages } from '../../observe/instruments.ts';
import { DataReader, type ReadData } from '../../rfc/smtp/data-reader.ts';
import { LineReader, type ReadLine } from '../../rfc/smtp/line-reader.ts';
import { greeting, MAX_MESSAGE_OCTETS, REPLIES } from './replies.ts';
import { Session, type Step } from './session.ts';

/** Octets of a command line: 512, and more for the parameters of extensions (RFC 5321, section 4.5.3.1.4). */
const MAX_LINE_OCTETS = 1_024;

export interface SmtpTimings {
  /** Whoever speaks before the greeting is a machine that does not listen. It is given this long to do so. */
  greetMs: number;
  /** Silence (RFC 5321, section 4.5.3.2.7). */
  idleMs: number;
  handshakeMs: number;
  /** For a connection as a whole: one octet a minute is not silence. */
  connectionMs: number;
  /** For the client to close what was ended here. */
  lingerMs: number;
}

export const TIMINGS: SmtpTimings = {
  greetMs: 200,
  idleMs: 5 * 60_000,
  handshakeMs: 30_000,
  connectionMs: 30 * 60_000,
  lingerMs: 2_000,
};

export interface ConnectionOptions<Addressee> {
  hostname: string;
  timings: SmtpTimings;
  /** Null: nobody here has that address. */
  addresseeOf(forwardPath: string): Addressee | null;
  /** Resolves when what the message means is committed. A rejection: it may work later. */
  receive(addressees: Addressee[], data: Buffer): Promise<void>;
  /** For the next handshake; null: STARTTLS is not offered. */
  secureContext: (() => SecureContext) | null;
  /** Takes memory for content, for all connections together; false: there is none. */
  reserve(octets: number): boolean;
  release(octets: number): void;
}

export class Connection<Addressee> {
  readonly #options: ConnectionOptions<Addressee>;
  readonly #session: Session<Addressee>;
  readonly #lines = new LineReader(MAX_LINE_OCTETS);
  readonly #lifetime: NodeJS.Timeout;
  #socket: Socket;
  #state: 'greeting' | 'commands' | 'content' | 'receiving' | 'handshake' | 'ended' = 'greeting';
  #reader: DataReader | null = null;
  #reservedOctets = 0;
  #stopping = false;

  constructor(socket: Socket, options: ConnectionOptions<Addressee>) {
    const { timings, hostname } = options;
    this.#options = options;
    this.#socket = socket;
    this.#session = new Session({
      hostname,
      offersTls: options.secureContext !== null,
      addresseeOf: options.addresseeOf,
    });
    const greet = setTimeout(() => {
      if (this.#state !== 'greeting') return;
      this.#state = 'commands';
      this.#write(greeting(hostname));
    }, timings.greetMs);
    this.#lifetime = setTimeout(() => this.#end(REPLIES.tooLong), timings.connectionMs);
    socket.once('close', () => {
      clearTimeout(greet);
      clearTimeout(this.#lifetime);
      // What is being received goes on: its sender asks again, and the second time changes nothing.
      if (this.#state !== 'receiving') this.#forgetContent();
      this.#state = 'ended';
    });
    this.#listen(socket);
  }

  /** Ends the connection with 421, after the answer to a message that is on its way. */
  stop(): void {
    this.#stopping = true;
    if (this.#state !== 'content' && this.#state !== 'receiving') this.#end(REPLIES.shuttingDown);
  }

  #listen(socket: Socket): void {
    socket.setTimeout(this.#options.timings.idleMs, () => this.#end(REPLIES.idle));
    // Gone, or broken: there is nobody to tell.
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => this.#onData(chunk));
  }

  #onData(chunk: Buffer): void {
    if (this.#state === 'ended') return;
    if (this.#state === 'greeting') return this.#end(REPLIES.earlyTalker);
    this.#lines.push(chunk);
    this.#readOn();
  }

  /** Goes through the input for as long as it may. */
  #readOn(): void {
    for (;;) {
      if (this.#state === 'content' && this.#reader !== null && this.#lines.hasMore) {
        const end = this.#reader.push(this.#lines.takeRest());
        if (end === null) continue;
        this.#lines.push(end.rest);
        void this.#receive(end.read);
      } else if (this.#state === 'commands') {
        const line = this.#lines.next();
        if (line === null) break;
        this.#take(line);
      } else {
        break;
      }
    }
    if (this.#state === 'receiving') this.#socket.pause();
    else this.#socket.resume();
  }

  #take(read: ReadLine): void {
    if ('fault' in read)
      return this.#end(read.fault === 'too-long' ? REPLIES.lineTooLong : REPLIES.bareLineEnd);
    this.#do(this.#session.command(read.line, !this.#lines.hasMore));
  }

  #do({ reply, next }: Step): void {
    if (next === 'close') return this.#end(reply);
    this.#write(reply);
    if (next === 'content') {
      this.#state = 'content';
      this.#reader = new DataReader(MAX_MESSAGE_OCTETS, (octets) => this.#reserve(octets));
    }
    if (next === 'starttls') this.#startTls();
  }

  async #receive(read: ReadData): Promise<void> {
    this.#state = 'receiving';
    const addressees = this.#session.takeAddressees();
    const reply = 'fault' in read ? FAULTS[read.fault] : await this.#commit(addressees, read.data);
    inboundMessages.inc({ outcome: OUTCOMES[reply] });
    this.#forgetContent();
    // The connection may have ended meanwhile.
    if (this.#state !== 'receiving') return;
    if (reply === REPLIES.bareLineEnd) return this.#end(reply);
    this.#state = 'commands';
    this.#write(reply);
    if (this.#stopping) return this.#end(REPLIES.shuttingDown);
    this.#readOn();
  }

  async #commit(
    addressees: Addressee[],
    data: Buffer,
  ): Promise<typeof REPLIES.accepted | typeof REPLIES.tryAgain> {
    try {
      await this.#options.receive(addressees, data);
      return REPLIES.accepted;
    } catch {
      return REPLIES.tryAgain;
    }
  }

  #reserve(octets: number): boolean {
    if (!this.#options.reserve(octets)) return false;
    this.#reservedOctets += octets;
    return true;
  }

  #forgetContent(): void {
    this.#reader = null;
    this.#options.release(this.#reservedOctets);
    this.#reservedOctets = 0;
  }

  #startTls(): void {
    const plain = this.#socket;
    const secureContext = this.#options.secureContext?.();
    if (secureContext === undefined) throw new Error('STARTTLS was not offered');
    this.#state = 'handshake';
    // Somebody on the way may have put commands behind STARTTLS: they must not be taken for the client's (CVE-2011-0411).
    this.#lines.takeRest();
    for (const event of ['data', 'timeout'] as const) plain.removeAllListeners(event);
    plain.setTimeout(0);
    const secure = new TLSSocket(plain, { isServer: true, secureContext });
    this.#socket = secure;
    const timer = setTimeout(() => plain.destroy(), this.#options.timings.handshakeMs);
    plain.once('close', () => clearTimeout(timer));
    secure.once('_tlsError', () => plain.destroy());
    secure.once('secure', () => {
      clearTimeout(timer);
      if (this.#state !== 'handshake') return;
      this.#session.secured();
      this.#state = 'commands';
      this.#readOn();
    });
    this.#listen(secure);
  }

  #write(reply: string): void {
    if (this.#socket.writable) this.#socket.write(`${reply}\r\n`);
  }

  /** The last reply. Input is read and dropped until the client closes: left unread, it would have the reply dropped. */
  #end(reply: string): void {
    if (this.#state === 'ended') return;
    const wasHandshake = this.#state === 'handshake';
    if (this.#state !== 'receiving') this.#forgetContent();
    this.#state = 'ended';
    this.#lines.takeRest();
    const socket = this.#socket;
    if (wasHandshake) {
      socket.destroy();
      return;
    }
    socket.end(`${reply}\r\n`);
    socket.resume();
    const linger = setTimeout(() => socket.destroy(), this.#options.timings.lingerMs);
    socket.once('close', () => clearTimeout(linger));
  }
}

const FAULTS = {
  'too-large': REPLIES.tooLarge,
  'no-room': REPLIES.noRoom,
  'bare-line-end': REPLIES.bareLineEnd,
} as const satisfies Record<Extract<ReadData, { fault: string }>['fault'], string>;

/** As metrics name what is answered to a message. */
const OUTCOMES = {
  [REPLIES.accepted]: 'accepted',
  [REPLIES.tryAgain]: 'try_again',
  [REPLIES.tooLarge]: 'too_large',
  [REPLIES.noRoom]: 'no_room',
  [REPLIES.bareLineEnd]: 'bare_line_end',
} as const;
