/** Reads the content of one message after the other on a connection, and hands it on. */
import { ChunkReader } from '../../rfc/smtp/chunk-reader.ts';
import type { ReadContent } from '../../rfc/smtp/content-buffer.ts';
import { DataReader } from '../../rfc/smtp/data-reader.ts';
import type { ClientConnection } from '../tcp/client-connection.ts';
import type { SharedQuota } from '../tcp/shared-quota.ts';
import { ContentQuota } from './content-quota.ts';
import type { PolicyReply, SmtpPolicy } from './policy.ts';
import { MAX_MESSAGE_OCTETS, REPLIES } from './replies.ts';
import type { ChunkStep, ServerSession } from './session.ts';

export interface MessageOptions {
  /** From the moment that content is asked for to its end. */
  messageMs: number;
  /** Octets of memory for content. */
  room: SharedQuota;
}

export class MessageReading<Addressee> implements Disposable {
  readonly #connection: ClientConnection;
  readonly #session: ServerSession<Addressee>;
  readonly #policy: SmtpPolicy<Addressee>;
  readonly #options: MessageOptions;
  #chunks: { reader: ChunkReader; room: ContentQuota } | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    connection: ClientConnection,
    session: ServerSession<Addressee>,
    policy: SmtpPolicy<Addressee>,
    options: MessageOptions,
  ) {
    this.#connection = connection;
    this.#session = session;
    this.#policy = policy;
    this.#options = options;
  }

  /** After 354. @returns the answer; null when the message did not come to its end */
  async data(): Promise<PolicyReply | null> {
    const room = this.#begin();
    const reader = new DataReader(...limitsOf(room));
    try {
      for (;;) {
        const octets = await this.#connection.octets();
        if (octets === null) return null;
        await room.admit(octets);
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
  async chunk({ octets, isLast, refusal }: ChunkStep): Promise<PolicyReply | null> {
    // The octets of a refused chunk are read and dropped.
    const { reader, room } =
      refusal === null
        ? (this.#chunks ??= this.#newChunks())
        : { reader: new ChunkReader(0, () => false), room: null };
    reader.begin(octets);
    while (reader.isWithin) {
      const arrived = await this.#connection.octets();
      if (arrived === null) return null;
      await room?.admit(arrived);
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

  #begin(): ContentQuota {
    this.#timer = setTimeout(() => this.#connection.end(REPLIES.tooSlow), this.#options.messageMs);
    return new ContentQuota(this.#connection, this.#options.room, this.#session.size);
  }

  #newChunks(): { reader: ChunkReader; room: ContentQuota } {
    const room = this.#begin();
    return { reader: new ChunkReader(...limitsOf(room)), room };
  }

  /**
   * Takes the message in, though the connection may be over by then: its sender asks again, and gets it twice (RFC 1047).
   * From here on it is not the client that takes its time.
   */
  async #take(read: ReadContent): Promise<PolicyReply> {
    clearTimeout(this.#timer);
    const envelope = this.#session.takeEnvelope();
    const { address, tls } = this.#connection;
    const reply = await this.#policy.receive({ ...envelope, client: { address, tls } }, read);
    if (reply.startsWith('2')) this.#session.accepted();
    return reply;
  }
}

function limitsOf({ reserve, expectedOctets }: ContentQuota): [number, (octets: number) => boolean, number] {
  return [MAX_MESSAGE_OCTETS, reserve, expectedOctets];
}
