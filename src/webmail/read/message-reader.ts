/** Reads one message in a mailbox for display, with warnings about it. All content of the message is untrusted. */
import type { Blobs } from '../../blobs/blobs.ts';
import type { MailMessage } from '../../contract/mail/messages.ts';
import type { Database } from '../../db/database.ts';
import type { FairReads } from '../../db/fair-reads.ts';
import type { Theme } from '../../rfc/html/clean-style.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { describeMessage } from './describe-message.ts';
import { findMessage, type MessageOfMailbox } from './find-message.ts';
import type { SignedImages } from './links/signed-images.ts';
import { MessageThread, type OpenedMessage } from './message-thread.ts';
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
}

interface FoundAndOpened {
  found: MessageOfMailbox;
  opened: OpenedMessage;
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

  async describe(mailbox: MailboxKey, objectId: string): Promise<MailMessage | null> {
    const both = await this.open(mailbox, objectId);
    if (both === null) return null;
    const [sender] = both.found.summary.from;
    const known = await this.#read(mailbox, async (database) => ({
      people: await knownPeople(database, mailbox, sender),
      isTrusted: sender !== undefined && (await isTrustedSender(database, mailbox, sender.address)),
    }));
    return describeMessage(both.found, both.opened, known);
  }

  /** A document for a frame. Also returns null if the message has no HTML that can be shown. */
  async html(mailbox: MailboxKey, objectId: string, options: HtmlOptions): Promise<string | null> {
    const both = await this.open(mailbox, objectId);
    return both === null ? null : this.#document(mailbox, objectId, both.opened, options);
  }

  /** A printable page with the header and the HTML or text of the message. `zone` is the time zone of its date. */
  async printed(
    mailbox: MailboxKey,
    objectId: string,
    { zone, ...options }: Pick<HtmlOptions, 'remote' | 'address'> & { zone: string },
  ): Promise<string | null> {
    const both = await this.open(mailbox, objectId);
    if (both === null) return null;
    const document = await this.#document(mailbox, objectId, both.opened, { theme: 'light', ...options });
    return printPage(both.found, both.opened.message, document, zone);
  }

  /** The parsed message, for callers that show a part of it. */
  async open(mailbox: MailboxKey, objectId: string): Promise<FoundAndOpened | null> {
    const found = await this.find(mailbox, objectId);
    if (found === null) return null;
    const { projectId } = mailbox;
    const key = `${projectId} ${found.digest.toString('hex')}`;
    const opened = await this.#opened.of(key, async () => {
      const read = await this.#thread.open(mailbox, () => this.#options.blobs.open(projectId, found.digest));
      if (read?.isAbandoned !== false)
        setTimeout(() => this.#opened.forget(key), TIMINGS.abandonedMs).unref();
      return read;
    });
    return opened === null ? null : { found, opened };
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
    { clean, message }: OpenedMessage,
    { theme, remote, address, isFolded = false }: HtmlOptions,
  ): Promise<string | null> {
    if (clean === null) return null;
    const { images } = this.#options;
    const inline = new Map<string, string>();
    for (const id of clean.contentIds) {
      // Only parts of this message can be shown.
      const part = message.attached.find(({ contentId }) => contentId === id);
      if (part !== undefined) inline.set(id, images.part(mailbox, objectId, part.part));
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

function sizeOf(opened: OpenedMessage | null): number {
  if (opened === null) return 1_000;
  const { message, clean } = opened;
  const text = message.text.blocks
    .flatMap(({ spans }) => spans)
    .reduce((total, span) => total + span.text.length + 100, 0);
  const fields = message.fields.reduce((total, { value }) => total + value.length + 100, 0);
  return 2_000 + (clean?.html.length ?? 0) + text + fields + message.attached.length * 500;
}
