/**
 * Event streams (EventSource) for browsers that show a mailbox. An event says that the mailbox changed. The browser then requests the
 * changes.
 */
import { Readable } from 'node:stream';
import type { MailChangeEvent } from '../../../../contract/mail/changes.ts';
import type { SignedInMailbox, SignIn } from '../../../../mailboxes/sign-in/sign-in.ts';
import type { WebSession } from '../../../../accounts/calls.ts';
import { AppError } from '../../../../model/app-error.ts';
import { encodeId } from '../../../../model/ids.ts';
import type { MailboxAccess } from '../../../../model/mailbox-rights.ts';
import type { MailList } from '../../../../webmail/list/mail-list.ts';
import { keyOf, type MailboxKey } from '../../../../store/lock-mailboxes.ts';
import type { MailNotices } from '../../../../store/notices.ts';
import { TIMINGS } from './timings.ts';

export interface LiveMailOptions {
  notices: Pick<MailNotices, 'subscribe'>;
  signIn: Pick<SignIn, 'openForWebSession'>;
  lists: Pick<MailList, 'state'>;
  /** Defaults to `TIMINGS`. */
  timings?: typeof TIMINGS | undefined;
}

/**
 * Maximum streams per session and mailbox, and per person and mailbox, in one process. The streams of a person are the open tabs on all
 * devices. Each member of a shared mailbox is counted separately, so that no member can lock out the others.
 */
const MAX_OF_SESSION = 10;
const MAX_OF_PERSON = 50;
/** Maximum streams per process. Each stream occupies a connection. */
const MAX_STREAMS = 5_000;
/** A client with this many unread bytes is disconnected. It then reconnects and requests the changes that it missed. */
const MAX_UNREAD = 16_384;
/** The reconnection delay of browsers, in milliseconds. */
const RETRY = 'retry: 2000\n';

/** A browser that shows a mailbox. */
export interface Viewer {
  mailbox: MailboxKey;
  session: WebSession;
  /** The access of the grant that the session uses. Null: the session is that of the mailbox. */
  memberAccess: MailboxAccess | null;
}

interface Stream {
  mailbox: MailboxKey;
  /** The mailbox of the session: the same mailbox, or that of a member. */
  viewerId: string;
  sessionId: string;
  readable: Readable;
  /** Folders whose changes the browser has not been notified of. Null if any folder may have changed. */
  changed: Set<string> | null;
  /**
   * Further changes are sent when this timer fires, because a busy mailbox changes many times a second. Null if the next change is sent at
   * once.
   */
  timer: NodeJS.Timeout | null;
  isOver: boolean;
}

export class LiveMail {
  readonly #options: LiveMailOptions;
  readonly #timings: typeof TIMINGS;
  readonly #streams = new Set<Stream>();
  #beat: NodeJS.Timeout | null = null;
  #isOver = false;

  constructor(options: LiveMailOptions) {
    this.#options = options;
    this.#timings = options.timings ?? TIMINGS;
  }

  /**
   * @param viewer the mailbox and the session; when the session or the grant of its member ends, the stream ends
   * @param address the IP address of the client
   * @param lastEventId the id of the last event that the browser received on an earlier connection
   * @throws AppError rate-limited if there are too many streams
   */
  async open(viewer: Viewer, address: string, lastEventId: string | null): Promise<Readable> {
    const { mailbox, session } = viewer;
    const { mailboxId } = mailbox;
    const { sessionId } = session;
    this.#assertCapacity(mailbox, session);
    const readable = new Readable({ read() {} });
    const stream: Stream = {
      mailbox,
      viewerId: session.mailboxId,
      sessionId,
      readable,
      changed: new Set(),
      timer: null,
      isOver: false,
    };
    // Add the stream before the first `await`, so that simultaneous requests cannot exceed the limits.
    this.#streams.add(stream);
    readable.once('close', () => {
      this.#streams.delete(stream);
      clearTimeout(stream.timer ?? undefined);
    });
    const subscription = this.#options.notices.subscribe(mailboxId, (folderId) =>
      this.#note(stream, folderId),
    );
    readable.once('close', () => subscription[Symbol.dispose]());
    const open = await this.#openMailbox(viewer, address, readable);
    readable.once('close', () => open[Symbol.dispose]());
    open.ended.addEventListener('abort', () => finish(stream));
    if (this.#isOver || open.ended.aborted) {
      finish(stream);
      return readable;
    }
    this.#beat ??= this.#beating();
    readable.push(`${RETRY}: hello\n\n`);
    void this.#greet(stream, lastEventId);
    return readable;
  }

  async #openMailbox(
    { mailbox, session, memberAccess }: Viewer,
    address: string,
    readable: Readable,
  ): Promise<SignedInMailbox> {
    let open: SignedInMailbox | null = null;
    try {
      open = await this.#options.signIn.openForWebSession(session, address);
      // If the grant was just revoked, `open.ended` is aborted.
      if (memberAccess !== null) await open?.useGrant(mailbox.mailboxId, memberAccess);
      if (open !== null) return open;
    } catch (error) {
      open?.[Symbol.dispose]();
      readable.destroy();
      throw error;
    }
    readable.destroy();
    throw tooMany();
  }

  /** Ends all streams, because the process is about to stop. A stream that is opened later ends immediately. */
  end(): void {
    this.#isOver = true;
    clearInterval(this.#beat ?? undefined);
    for (const stream of this.#streams) finish(stream);
  }

  #assertCapacity(mailbox: MailboxKey, { mailboxId, sessionId }: WebSession): void {
    const ofPerson = [...this.#streams].filter(
      (stream) => keyOf(stream.mailbox) === keyOf(mailbox) && stream.viewerId === mailboxId,
    );
    const ofSession = ofPerson.filter((stream) => stream.sessionId === sessionId);
    if (
      ofSession.length < MAX_OF_SESSION &&
      ofPerson.length < MAX_OF_PERSON &&
      this.#streams.size < MAX_STREAMS
    )
      return;
    throw tooMany();
  }

  /** Notifies the browser if the mailbox changed while the browser was disconnected. */
  async #greet(stream: Stream, lastEventId: string | null): Promise<void> {
    if (lastEventId === null) return;
    const state = await this.#stateOf(stream);
    if (state !== lastEventId) this.#note(stream, null);
  }

  #note(stream: Stream, folderId: string | null): void {
    if (folderId === null) stream.changed = null;
    else stream.changed?.add(folderId);
    if (stream.timer === null) void this.#notify(stream);
  }

  async #notify(stream: Stream): Promise<void> {
    // Reset before the first `await`, so that later changes go into another event.
    const folders = stream.changed === null ? [] : [...stream.changed];
    stream.changed = new Set();
    stream.timer = setTimeout(() => {
      stream.timer = null;
      if (stream.changed === null || stream.changed.size > 0) void this.#notify(stream);
    }, this.#timings.betweenEventsMs);
    const state = await this.#stateOf(stream);
    const event: MailChangeEvent = { folders: folders.map((id) => encodeId('fld', id)) };
    const id = state === null ? '' : `id: ${state}\n`;
    this.#push(stream, `${id}event: change\ndata: ${JSON.stringify(event)}\n\n`);
  }

  /** @returns null if the state cannot be read at the moment */
  async #stateOf({ mailbox }: Stream): Promise<string | null> {
    return this.#options.lists.state(mailbox).catch(() => null);
  }

  #push({ readable, isOver }: Stream, text: string): void {
    if (readable.destroyed || isOver) return;
    if (readable.readableLength > MAX_UNREAD) readable.destroy();
    else readable.push(text);
  }

  /** Sends heartbeats, because proxies close a silent stream. Heartbeats are events, because EventSource hides comments from pages. */
  #beating(): NodeJS.Timeout {
    return setInterval(() => {
      for (const stream of this.#streams) this.#push(stream, 'event: heartbeat\ndata: {}\n\n');
    }, this.#timings.heartbeatMs).unref();
  }
}

function tooMany(): AppError {
  return new AppError('rate-limited', 'This mailbox is open in too many windows. Close some of them.', {
    retryAfterSeconds: 60,
  });
}

function finish(stream: Stream): void {
  if (stream.isOver || stream.readable.destroyed) return;
  stream.isOver = true;
  stream.readable.push(null);
}
