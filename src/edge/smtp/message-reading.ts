/** Reads the content of one message after the other on a connection, and hands it on. */
import { inboundMessages } from '../../observe/instruments.ts';
import { ChunkReader } from '../../rfc/smtp/chunk-reader.ts';
import type { ContentFault, ReadContent } from '../../rfc/smtp/content-buffer.ts';
import { DataReader } from '../../rfc/smtp/data-reader.ts';
import type { ClientConnection } from '../tcp/client-connection.ts';
import type { SharedRoom } from '../tcp/shared-room.ts';
import { MAX_MESSAGE_OCTETS, REPLIES } from './replies.ts';
import type { ChunkStep, Envelope, ServerSession } from './session.ts';

/**
 * What became of a message: `refused` is the text of a 550 with its enhanced code, `accepted` and the others have replies of
 * their own.
 */
type Received = 'accepted' | 'loop' | 'mailboxFull' | { refused: string };

/** What is known of a message beside its content. */
export interface Arrival<Addressee> extends Envelope<Addressee> {
  client: {
    /** IP address; empty when the connection was over before it was known. */
    address: string;
    tls: ClientConnection['tls'];
  };
}

export interface MessageOptions<Addressee> {
  /** From the moment that content is asked for to its end. */
  messageMs: number;
  /** Resolves when what the message means is committed. A rejection is answered with 451, and is not logged here. */
  receive(arrival: Arrival<Addressee>, data: Buffer): Promise<Received>;
  /** Octets of memory for content. */
  room: SharedRoom;
}

export class MessageReading<Addressee> implements Disposable {
  readonly #connection: ClientConnection;
  readonly #session: ServerSession<Addressee>;
  readonly #options: MessageOptions<Addressee>;
  #chunks: ChunkReader | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    connection: ClientConnection,
    session: ServerSession<Addressee>,
    options: MessageOptions<Addressee>,
  ) {
    this.#connection = connection;
    this.#session = session;
    this.#options = options;
  }

  /** After 354. @returns the answer; null when the message did not come to its end */
  async data(): Promise<string | null> {
    this.#begin();
    const reader = new DataReader(...this.#limits());
    try {
      for (;;) {
        const octets = await this.#connection.octets();
        if (octets === null) return null;
        const end = reader.push(octets);
        if (end === null) continue;
        this.#connection.unread(end.rest);
        return await this.#take(end.read);
      }
    } finally {
      this.forget();
    }
  }

  /** After BDAT (RFC 3030). @returns the answer; null when the chunk did not come to its end */
  async chunk({ octets, isLast, refusal }: ChunkStep): Promise<string | null> {
    // What is refused is read as well, and kept by nobody.
    const reader = refusal === null ? (this.#chunks ?? this.#newChunks()) : new ChunkReader(0, () => false);
    reader.begin(octets);
    while (reader.isWithin) {
      const arrived = await this.#connection.octets();
      if (arrived === null) return null;
      const rest = reader.push(arrived);
      this.#connection.unread(rest);
      // Attack: what is left of a refused chunk would be commands, which the sender's server never meant to give.
      if (refusal === null && 'fault' in reader.read && reader.read.fault === 'bare-line-end') break;
    }
    if (refusal !== null) return refusal;
    const read = isLast ? reader.readToEnd : reader.read;
    if (!isLast && 'data' in read) return `250 2.0.0 ${octets} octets`;
    try {
      return await this.#take(read);
    } finally {
      this.forget();
    }
  }

  /** Gives back what a message holds that nobody asks for any more. */
  forget(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#chunks = null;
    this.#options.room.giveBack(this.#connection);
  }

  [Symbol.dispose](): void {
    this.forget();
  }

  #begin(): void {
    this.#timer = setTimeout(() => this.#connection.end(REPLIES.tooSlow), this.#options.messageMs);
  }

  #newChunks(): ChunkReader {
    this.#begin();
    this.#chunks = new ChunkReader(...this.#limits());
    return this.#chunks;
  }

  #limits(): [number, (octets: number) => boolean] {
    return [MAX_MESSAGE_OCTETS, (octets) => this.#options.room.take(this.#connection, octets)];
  }

  /**
   * Takes the message in, though the connection may be over by then: its sender asks again, and gets it twice (RFC 1047).
   * From here on it is not the client that takes its time.
   */
  async #take(read: ReadContent): Promise<string> {
    clearTimeout(this.#timer);
    const envelope = this.#session.takeEnvelope();
    if ('fault' in read) {
      inboundMessages.inc({ outcome: OUTCOMES[read.fault] });
      return FAULTS[read.fault];
    }
    const { address, tls } = this.#connection;
    const received = await this.#options
      .receive({ ...envelope, client: { address, tls } }, read.data)
      .catch(() => 'tryAgain' as const);
    const isRefused = typeof received === 'object';
    inboundMessages.inc({ outcome: isRefused ? 'refused' : OUTCOMES[received] });
    if (received === 'accepted') this.#session.accepted();
    return isRefused ? `550 ${received.refused}` : REPLIES[received];
  }
}

const FAULTS = {
  'too-large': REPLIES.tooLarge,
  'no-memory': REPLIES.noRoom,
  'bare-line-end': REPLIES.bareLineEnd,
} as const satisfies Record<ContentFault, string>;

/** The names that metrics have for what became of a message. */
const OUTCOMES = {
  accepted: 'accepted',
  loop: 'loop',
  mailboxFull: 'mailbox_full',
  tryAgain: 'try_again',
  'too-large': 'too_large',
  'no-memory': 'no_room',
  'bare-line-end': 'bare_line_end',
} as const satisfies Record<Extract<Received, string> | 'tryAgain' | ContentFault, string>;
