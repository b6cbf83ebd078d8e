import type { Socket } from 'node:net';
import type { SmtpReply } from '../../../rfc/smtp/reply.ts';
import { ReplyParser, type ReplyFault } from '../../../rfc/smtp/reply-parser.ts';

export interface WireListener {
  /** Receives replies in order, with one call per chunk of data. */
  onReplies(replies: readonly SmtpReply[]): void;
  /** Called once per listener if the connection is lost or the incoming data is not SMTP. Not called if this side ended the connection. */
  onLost(why: string): void;
  /**
   * Called repeatedly after the deadline set by `expectWithin` has passed, until the listener calls `expectWithin` again or ends the
   * connection.
   */
  onLate(): void;
}

const FAULTS: Record<ReplyFault, string> = {
  'line-too-long': 'the host sent an endless line',
  'reply-too-long': 'the host sent an endless reply',
  'not-a-reply': 'the host sent something that is not an SMTP reply',
  'codes-differ': 'the host sent a reply with contradicting codes',
};

/** The size of a block in octets. The next block is written after the network has taken the previous one. */
const BLOCK = 262_144;
/** Content up to this size is sent in one write with its final dot. */
const ONE_WRITE = 65_536;
const NOTHING = Buffer.alloc(0);

/** A socket for SMTP: writes bytes and parses replies, without interpreting them. */
export class Wire {
  readonly #socket: Socket;
  readonly #parser = new ReplyParser();
  readonly #sweep: NodeJS.Timeout;
  #listener: WireListener;
  #lateAt = Number.POSITIVE_INFINITY;
  #ended = false;
  /** The reason why the connection was lost. Null if it was not lost, or this side ended it. */
  #lost: string | null = null;

  constructor(socket: Socket, sweepMs: number, listener: WireListener) {
    this.#socket = socket;
    this.#listener = listener;
    socket.on('data', this.#onData);
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.#lose(`the connection was lost (${error.code ?? error.message})`);
    });
    socket.on('end', this.#onEnd);
    socket.on('close', this.#onEnd);
    // One check per second is cheaper than a timer for each reply, because each message has several replies.
    this.#sweep = setInterval(() => {
      if (performance.now() >= this.#lateAt && !this.#ended) this.#listener.onLate();
    }, sweepMs).unref();
  }

  get ended(): boolean {
    return this.#ended;
  }

  /**
   * Sets the listener. If the connection is already lost, the listener is notified at the next opportunity; otherwise the listener would
   * wait forever.
   */
  listen(listener: WireListener): void {
    this.#listener = listener;
    const lost = this.#lost;
    if (lost !== null) queueMicrotask(() => listener.onLost(lost));
  }

  /** @param taken called when the network has taken the bytes; not called if the connection is lost first */
  write(bytes: Buffer | string, taken?: () => void): void {
    if (this.#ended) return;
    if (taken === undefined) this.#socket.write(bytes);
    else this.#socket.write(bytes, (error) => !error && !this.#ended && taken());
  }

  /**
   * Writes a message's content, then its final dot. Large content is written in blocks, so that a stalled network is noticed, and the dot
   * is written only when it can be sent.
   * @param on.commit writes the rest of the content and the dot
   * @param on.onWritten called for each block that the network has taken
   */
  writeContent(content: Buffer, on: { commit(rest: Buffer): void; onWritten(): void }): void {
    if (content.length <= ONE_WRITE) return on.commit(content);
    const writeFrom = (from: number): void => {
      const next = from + BLOCK;
      this.write(content.subarray(from, next), () => {
        if (next >= content.length) on.commit(NOTHING);
        on.onWritten();
        if (next < content.length) writeFrom(next);
      });
    };
    writeFrom(0);
  }

  /** Sets the deadline for `onLate`, replacing the previous deadline. */
  expectWithin(timeoutMs: number): void {
    this.#lateAt = performance.now() + timeoutMs;
  }

  /** Ends the connection at once. The listener is not called any more. */
  destroy(): void {
    this.#detach();
    this.#socket.destroy();
  }

  /** Releases the raw socket for TLS. Data that arrives from now on is not parsed as replies. */
  release(): Socket {
    this.#detach();
    this.#socket.off('data', this.#onData);
    this.#socket.off('end', this.#onEnd);
    this.#socket.off('close', this.#onEnd);
    return this.#socket;
  }

  #detach(): void {
    this.#ended = true;
    clearInterval(this.#sweep);
  }

  #lose(why: string): void {
    if (this.#ended) return;
    this.#lost = why;
    this.destroy();
    this.#listener.onLost(why);
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#ended) return;
    const replies = this.#parser.push(chunk);
    if (replies.length > 0) this.#listener.onReplies(replies);
    if (this.#parser.fault !== null) this.#lose(FAULTS[this.#parser.fault]);
  };

  readonly #onEnd = (): void => {
    this.#lose('the host closed the connection');
  };
}
