import type { Socket } from 'node:net';
import type { SmtpReply } from '../../../rfc/smtp/reply.ts';
import { ReplyParser, type ReplyFault } from '../../../rfc/smtp/reply-parser.ts';

export interface WireListener {
  /** In the order of the bytes, one call per chunk. */
  onReplies(replies: readonly SmtpReply[]): void;
  /** Said once to each listener, unless this side ended it: the connection is gone, or what arrives is not SMTP. */
  onLost(why: string): void;
  /** The time given with `expectWithin` is up; said again and again until the listener gives more or ends. */
  onLate(): void;
}

const FAULTS: Record<ReplyFault, string> = {
  'line-too-long': 'the host sent an endless line',
  'reply-too-long': 'the host sent an endless reply',
  'not-a-reply': 'the host sent something that is not an SMTP reply',
  'codes-differ': 'the host sent a reply with contradicting codes',
};

/** Octets that are written before waiting for the network to take them. */
const BLOCK = 262_144;
/** Up to this size the content and its final dot are one write. */
const ONE_WRITE = 65_536;
const NOTHING = Buffer.alloc(0);

/** A socket that speaks SMTP: bytes go out, replies come in. Knows nothing of their meaning. */
export class Wire {
  readonly #socket: Socket;
  readonly #parser = new ReplyParser();
  readonly #sweep: NodeJS.Timeout;
  #listener: WireListener;
  #lateAt = Number.POSITIVE_INFINITY;
  #ended = false;
  /** Why, unless this side ended it. */
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
    // One check a second instead of a timer for each reply: there are several replies for each message.
    this.#sweep = setInterval(() => {
      if (performance.now() >= this.#lateAt && !this.#ended) this.#listener.onLate();
    }, sweepMs).unref();
  }

  /** Whether nothing more will come or go. */
  get ended(): boolean {
    return this.#ended;
  }

  /** A listener that comes after the loss is told of it next: otherwise it would wait for replies for ever. */
  listen(listener: WireListener): void {
    this.#listener = listener;
    const lost = this.#lost;
    if (lost !== null) queueMicrotask(() => listener.onLost(lost));
  }

  /** @param taken called when the network has taken the bytes; not called when the connection is lost before */
  write(bytes: Buffer | string, taken?: () => void): void {
    if (this.#ended) return;
    if (taken === undefined) this.#socket.write(bytes);
    else this.#socket.write(bytes, (error) => !error && !this.#ended && taken());
  }

  /**
   * Writes a content and has its final dot written. A large one goes block by block, so that a network that takes nothing is
   * noticed, and the dot is not written long before it can leave.
   * @param on.commit writes the dot, behind what is left of the content
   * @param on.onTaken called for each block that the network has taken
   */
  writeContent(content: Buffer, on: { commit(rest: Buffer): void; onTaken(): void }): void {
    if (content.length <= ONE_WRITE) return on.commit(content);
    const writeFrom = (from: number): void => {
      const next = from + BLOCK;
      this.write(content.subarray(from, next), () => {
        if (next >= content.length) on.commit(NOTHING);
        on.onTaken();
        if (next < content.length) writeFrom(next);
      });
    };
    writeFrom(0);
  }

  /** Replaces the time that was given before. */
  expectWithin(timeoutMs: number): void {
    this.#lateAt = performance.now() + timeoutMs;
  }

  /** Ends the connection at once; the listener hears nothing more. */
  destroy(): void {
    this.#detach();
    this.#socket.destroy();
  }

  /** Gives the bare socket away, for TLS. Whatever arrives from now on is not read as a reply. */
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
