/** Reads one message in a mailbox for display, with warnings about it. All content of the message is untrusted. */
import type { Blobs, OpenBlob } from '../../blobs/blobs.ts';
import type { MailMessage } from '../../contract/mail/messages.ts';
import type { Database } from '../../db/database.ts';
import type { FairReads } from '../../db/fair-reads.ts';
import type { Theme } from '../../rfc/html/clean-style.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { isMessage } from './attached-head.ts';
import { attachedBlob, describeAttached, foundInside, MAX_LEVELS } from './attached-message.ts';
import { describeMessage } from './describe-message.ts';
import { findMessage, type MessageOfMailbox } from './find-message.ts';
import type { SignedImages } from './links/signed-images.ts';
import { MessageThread, type OpenedMessage } from './message-thread.ts';
import type { ReadPart } from './read-message.ts';
import { OpenedMessages } from './opened-messages.ts';
import { printPage } from './print-page.ts';
import { knownPeople } from './sender/known-people.ts';
import { TIMINGS } from './timings.ts';
import { isTrustedSender } from './sender/trusted-senders.ts';

export interface MessageReaderOptions {
  reads: FairReads;
  blobs: Blobs;
  images: SignedImages;
}

export interface HtmlOptions {
  /** A message that can only be light becomes a sheet instead of dark. */
  theme: Theme | 'sheet';
  /** Whether to show remote images, which are fetched through this service. */
  remote: boolean;
  /** Whether to omit the quote at the end of the message. */
  isFolded?: boolean;
  /** The address of the mailbox whose compose page `mailto:` links open. */
  address: string;
  /** The attached message to show instead of the message. Default: the message. */
  part?: string | undefined;
}

/** A message, or a message attached to it. */
export interface FoundAndOpened {
  found: MessageOfMailbox;
  opened: OpenedMessage;
  /** The part that contains the attached message, such as `2.1`. Null for the message itself. */
  part: string | null;
  /** @returns null if the bytes no longer exist */
  blob(): Promise<OpenBlob | null>;
}

/** All methods return null if the message is in no folder of the mailbox, and throw AppError unavailable. */
export class MessageReader implements AsyncDisposable {
  readonly #options: MessageReaderOptions;
  readonly #thread = new MessageThread();
  readonly #opened = new OpenedMessages<OpenedMessage | null>(sizeOf);

  constructor(options: MessageReaderOptions) {
    this.#options = options;
  }

  /** Starts the thread ahead of time, because a user who views a list will soon open a message. */
  prepare(): void {
    void this.#thread.prepare();
  }

  /** @param part the attached message to describe instead of the message. Default: the message */
  async describe(mailbox: MailboxKey, objectId: string, part?: string): Promise<MailMessage | null> {
    const both = await this.open(mailbox, objectId, part);
    if (both === null) return null;
    const [sender] = both.found.summary.from;
    const known = await this.#read(mailbox, async (database) => ({
      people: await knownPeople(database, mailbox, sender),
      isTrusted: sender !== undefined && (await isTrustedSender(database, mailbox, sender.address)),
    }));
    const described = describeMessage(both.found, both.opened, known);
    return both.part === null ? described : describeAttached(described, both.opened, both.part);
  }

  /** A document for a frame. Also returns null if the message has no HTML that can be shown. */
  async html(mailbox: MailboxKey, objectId: string, options: HtmlOptions): Promise<string | null> {
    const both = await this.open(mailbox, objectId, options.part);
    return both === null ? null : this.#document(mailbox, objectId, both, options);
  }

  /** A printable page with the header and the HTML or text of the message. `zone` is the time zone of its date. */
  async printed(
    mailbox: MailboxKey,
    objectId: string,
    { zone, ...options }: Pick<HtmlOptions, 'remote' | 'address' | 'part'> & { zone: string },
  ): Promise<string | null> {
    const both = await this.open(mailbox, objectId, options.part);
    if (both === null) return null;
    const document = await this.#document(mailbox, objectId, both, { theme: 'light', ...options });
    return printPage(both.found, both.opened.message, document, zone);
  }

  /**
   * The parsed message, for callers that show a part of it.
   * @param part the attached message to open instead of the message. Default: the message. Also returns null if there is no such attached message
   */
  async open(mailbox: MailboxKey, objectId: string, part?: string): Promise<FoundAndOpened | null> {
    if (part === undefined) return this.#openWhole(mailbox, objectId);
    const found = await this.openPart(mailbox, objectId, part);
    return found !== null && isMessage(found.part)
      ? this.#openAttached(mailbox, found.within, found.part)
      : null;
  }

  /** A part of a message, or of a message attached to it. @param number for example `1.2` */
  async openPart(
    mailbox: MailboxKey,
    objectId: string,
    number: string,
  ): Promise<{ within: FoundAndOpened; part: ReadPart } | null> {
    let within = await this.#openWhole(mailbox, objectId);
    let rest = number;
    for (let level = 0; within !== null && level < MAX_LEVELS; level++) {
      const { attached, calendar } = within.opened.message;
      const part = [...attached, ...(calendar === null ? [] : [calendar])].find((each) => each.part === rest);
      if (part !== undefined) return { within, part };
      const around = attached.find((each) => isMessage(each) && rest.startsWith(`${each.part}.`));
      if (around === undefined) return null;
      rest = rest.slice(around.part.length + 1);
      within = await this.#openAttached(mailbox, within, around);
    }
    return null;
  }

  async #openWhole(mailbox: MailboxKey, objectId: string): Promise<FoundAndOpened | null> {
    const found = await this.find(mailbox, objectId);
    if (found === null) return null;
    const { projectId } = mailbox;
    const blob = () => this.#options.blobs.open(projectId, found.digest);
    const opened = await this.#cached(`${projectId} ${found.digest.toString('hex')}`, () =>
      this.#thread.open(mailbox, blob),
    );
    return opened === null ? null : { found, opened, part: null, blob };
  }

  async #openAttached(
    mailbox: MailboxKey,
    outer: FoundAndOpened,
    inner: ReadPart,
  ): Promise<FoundAndOpened | null> {
    const part = numberIn(outer.part, inner.part);
    const blob = async (): Promise<OpenBlob | null> => {
      const around = await outer.blob();
      return around === null ? null : attachedBlob(around, inner);
    };
    const key = `${mailbox.projectId} ${outer.found.digest.toString('hex')} ${part}`;
    const opened = await this.#cached(key, () => this.#thread.open(mailbox, blob, true));
    if (opened === null) return null;
    return { found: foundInside(outer.found, opened.head, inner.end - inner.start), opened, part, blob };
  }

  /** Reads a message unless it is cached. */
  #cached(key: string, read: () => Promise<OpenedMessage | null>): Promise<OpenedMessage | null> {
    return this.#opened.of(key, async () => {
      const opened = await read();
      if (opened?.isAbandoned !== false)
        setTimeout(() => this.#opened.forget(key), TIMINGS.abandonedMs).unref();
      return opened;
    });
  }

  find(mailbox: MailboxKey, objectId: string): Promise<MessageOfMailbox | null> {
    return this.#read(mailbox, (database) => findMessage(database, mailbox, objectId));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]();
  }

  async #document(
    mailbox: MailboxKey,
    objectId: string,
    { opened: { clean, message }, part: outer }: FoundAndOpened,
    { theme, remote, address, isFolded = false }: HtmlOptions,
  ): Promise<string | null> {
    if (clean === null) return null;
    const { images } = this.#options;
    const inline = new Map<string, string>();
    for (const id of clean.contentIds) {
      // Only parts of this message can be shown.
      const part = message.attached.find(({ contentId }) => contentId === id);
      if (part !== undefined) inline.set(id, images.part(mailbox, objectId, numberIn(outer, part.part)));
    }
    const through = remote
      ? new Map(clean.remote.map((url) => [url, images.remote(mailbox, objectId, url)]))
      : null;
    // Elements that are open where the quote begins are closed at the end of the document.
    const html = isFolded ? clean.html.slice(0, clean.quote?.at) : clean.html;
    return this.#thread.document(mailbox, html, {
      theme: theme === 'dark' && clean.dark === null ? 'sheet' : theme,
      convertsColors: theme === 'dark' && clean.dark === 'converted',
      remote: through,
      inline,
      address,
    });
  }

  #read<T>({ mailboxId }: MailboxKey, work: (database: Database) => Promise<T>): Promise<T> {
    return this.#options.reads.run(mailboxId, work);
  }
}

/** The number of a part in the message of the mailbox. @param outer the attached message that contains the part */
function numberIn(outer: string | null, part: string): string {
  return outer === null ? part : `${outer}.${part}`;
}

function sizeOf(opened: OpenedMessage | null): number {
  if (opened === null) return 1_000;
  const { message, clean, head } = opened;
  const text = message.text.blocks
    .flatMap(({ spans }) => spans)
    .reduce((total, span) => total + span.text.length + 100, 0);
  const fields = message.fields.reduce((total, { value }) => total + value.length + 100, 0);
  const people = head === null ? 0 : JSON.stringify(head).length;
  return 2_000 + people + (clean?.html.length ?? 0) + text + fields + message.attached.length * 500;
}
