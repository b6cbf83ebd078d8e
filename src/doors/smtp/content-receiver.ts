/** Reads the messages of a connection one after the other, and passes the content of each message to the policy. */
import { ChunkReader } from '../../rfc/smtp/chunk-reader.ts';
import type { ReadContent } from '../../rfc/smtp/content-buffer.ts';
import { DataReader } from '../../rfc/smtp/data-reader.ts';
import type { ClientConnection } from '../tcp/client-connection.ts';
import { ArrivingContent, type ContentStores } from './arriving-content.ts';
import type { PolicyReply, SmtpPolicy } from './policy.ts';
import { MAX_MESSAGE_OCTETS, REPLIES } from './replies.ts';
import type { ChunkStep, ServerSession } from './session.ts';

export interface ContentOptions {
  /** Time limit for the content of a message. */
  messageMs: number;
  content: ContentStores;
}

export class ContentReceiver<Addressee> implements Disposable {
  readonly #connection: ClientConnection;
  readonly #session: ServerSession<Addressee>;
  readonly #policy: SmtpPolicy<Addressee>;
  readonly #options: ContentOptions;
  #arriving: ArrivingContent | null = null;
  #chunks: ChunkReader | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    connection: ClientConnection,
    session: ServerSession<Addressee>,
    policy: SmtpPolicy<Addressee>,
    options: ContentOptions,
  ) {
    this.#connection = connection;
    this.#session = session;
    this.#policy = policy;
    this.#options = options;
  }

  /** Reads the content after 354. @returns the reply; null if the connection ended first */
  async data(): Promise<PolicyReply | null> {
    const arriving = this.#begin();
    const reader = new DataReader(MAX_MESSAGE_OCTETS, arriving.reserve);
    try {
      for (;;) {
        const octets = await this.#connection.octets();
        if (octets === null) return null;
        await arriving.admit(octets, reader.content);
        const end = reader.push(octets);
        if (end === null) continue;
        this.#connection.unread(end.rest);
        return await this.#take(await this.#completed(end.read));
      }
    } finally {
      this.discard();
    }
  }

  /** Reads the chunk after BDAT (RFC 3030). @returns the reply; null if the connection ended first */
  async chunk({ octets, isLast, refusal }: ChunkStep): Promise<PolicyReply | null> {
    // The octets of a rejected chunk are read and discarded.
    const reader =
      refusal === null
        ? (this.#chunks ??= new ChunkReader(MAX_MESSAGE_OCTETS, this.#begin().reserve))
        : new ChunkReader(0, () => false);
    reader.begin(octets);
    while (reader.isWithin) {
      const arrived = await this.#connection.octets();
      if (arrived === null) return null;
      if (refusal === null) await this.#arriving?.admit(arrived, reader.content);
      const rest = reader.push(arrived);
      this.#connection.unread(rest);
      // A bare line end in an accepted chunk stops reading, and the caller closes the connection. A rejected chunk is read to its end.
      // Attack: otherwise the rest of the rejected chunk would be read as commands that the sending server never issued.
      if (refusal === null && 'fault' in reader.read && reader.read.fault === 'bare-line-end') break;
    }
    if (refusal !== null) return refusal;
    const read = isLast ? reader.readToEnd : reader.read;
    if (!isLast && 'data' in read) return `250 2.0.0 ${octets} octets`;
    try {
      return await this.#take(await this.#completed(read));
    } finally {
      this.discard();
    }
  }

  /** Discards the message in progress and releases its memory and its file. */
  discard(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#chunks = null;
    this.#arriving?.release();
    this.#arriving = null;
  }

  [Symbol.dispose](): void {
    this.discard();
  }

  #begin(): ArrivingContent {
    this.#timer = setTimeout(() => this.#connection.end(REPLIES.tooSlow), this.#options.messageMs);
    this.#arriving = new ArrivingContent(this.#connection, this.#options.content, this.#session.size);
    return this.#arriving;
  }

  /** The whole content. The time that it waits for memory does not count against the client. */
  async #completed(read: ReadContent): Promise<ReadContent> {
    clearTimeout(this.#timer);
    return (await this.#arriving?.complete(read)) ?? read;
  }

  /**
   * Passes the message to the policy. If the connection ends in the meantime, the message is
   * received all the same; its sender then retries, and the message arrives twice (RFC 1047).
   */
  async #take(read: ReadContent): Promise<PolicyReply> {
    const envelope = this.#session.takeEnvelope();
    const { address, tls } = this.#connection;
    const reply = await this.#policy.receive({ ...envelope, client: { address, tls } }, read);
    if (reply.startsWith('2')) this.#session.onAccepted();
    return reply;
  }
}
