/**
 * One client, from its greeting to its end: what every command may use.
 *
 * **To add a command**: `commands/<verb>.ts` with a function `(session, command) => Promise<Answer>`, and a line in
 * `commands/index.ts` that says in which state it is allowed, whether it writes, and what may be told before its answer.
 * `dialogues/*.txt` has what it says and hears. What comes to a command is parsed, and its bounds hold (`rfc/imap`).
 * `commands/resync.ts` has what vanished, for FETCH (VANISHED) too.
 *
 * **What it says**: `session.untagged('SEARCH 1 2')`, long answers with `await session.output.room()` between messages, which sends what is
 * there and waits for a client that does not read; false: nobody hears the rest, so the command ends. It returns `ok()`, `no()`, `bad()`
 * (`responses.ts`); the loop writes that with the tag. An exception is a fault of ours: it is logged and answered with NO [UNAVAILABLE].
 *
 * **What it asks**: `session.services.store` and `.blobs`, always with `session.mailbox` or a `FolderKey` that came from it
 * (`session.findFolder`, `selected.key`), so that nothing of another mailbox can be named.
 *
 * **Numbers of messages**: `session.selected` is the one list of what the client was told. `selected.resolve(command.set, command.uid)` gives
 * ranges of UIDs for the store (null: `ANSWERS.badSet`); `selected.numberOf(uid)` and `.uidAt(number)` go both ways. A message that
 * the store has and the list does not (`numberOf` is 0) is left out: the client has not heard of it. The list never changes while a command runs.
 *
 * **How it syncs**: after the function, before its answer, the loop tells what happened in the selected folder: all of it, or, where the table
 * says `no-expunge`, only what leaves sequence numbers alone. So EXPUNGE deletes and returns, and STORE changes and says its own FETCH. A
 * change whose news the function itself told, or must not tell (.SILENT), is noted by `selected.noteTold(message)`, else it is told twice.
 * Tables where `looks` is set ask the store each time; the others only when a notice came, or `selected.noteChange()` was called.
 *
 * **How it is bounded**: messages come from the store in parts (1,000 of `store.messages`); a command goes through ranges part by part and
 * never holds what all messages of a folder have. `session.isOver` between parts ends a command whose client is gone.
 */
import type { Logger } from 'pino';
import type { SecureContextOf } from '../../net/tls.ts';
import type { Blobs } from '../../blobs/blobs.ts';
import type { FairSlots } from '../../concurrency/fair-slots.ts';
import type { FlaggedMessage } from '../../store/change-flags.ts';
import type { FactsReader } from '../../store/facts/facts-reader.ts';
import type { SignedInMailbox, SignIn } from '../../mailboxes/sign-in/sign-in.ts';
import { MAX_FOLDER_KEYWORDS } from '../../store/flags.ts';
import { normalFolderName } from '../../store/folder-name.ts';
import type { MailNotices } from '../../store/notices.ts';
import type { Store } from '../../store/store.ts';
import type { ClientConnection } from '../tcp/client-connection.ts';
import { flagList, flagsOfFolder } from './flags.ts';
import { Output } from './output.ts';
import { FAREWELLS } from './responses.ts';
import type { MessageParts } from './fetch/message-parts.ts';
import type { FolderNews, OwnFolder, SelectedFolder } from './selected-folder.ts';
import { sayVanished } from './vanished.ts';

export interface ImapServices {
  hostname: string;
  store: Store;
  blobs: Blobs;
  /** Reads what a message is, for those that are put into folders. */
  facts: FactsReader;
  /** Where the parts of messages lie. */
  parts: MessageParts;
  /** See `searchSlots`. */
  searches: FairSlots;
  signIn: Pick<SignIn, 'signIn'>;
  notices: Pick<MailNotices, 'subscribe'>;
  logger: Logger;
}

/** What ENABLE turned on (RFC 5161), or a command that implies it. */
export type Enabled = 'CONDSTORE' | 'QRESYNC' | 'UTF8=ACCEPT' | 'IMAP4REV2';

/** What is told of the selected folder before an answer. Sequence numbers must not change during some commands (RFC 9051, section 7.5.1). */
export type Telling = 'everything' | 'no-expunge' | 'nothing';

/** A session whose owner has signed in. */
export type OwnSession = ImapSession & { mailbox: SignedInMailbox };
/** One that has a folder selected, too. */
export type FolderSession = OwnSession & { readonly selected: SelectedFolder };

export interface ImapSessionOptions {
  /** TLS is offered where there is a certificate. */
  secureContext: SecureContextOf;
}

export class ImapSession implements Disposable {
  readonly connection: ClientConnection;
  readonly services: ImapServices;
  readonly output: Output;
  readonly enabled = new Set<Enabled>();
  /** null: nobody has signed in. */
  mailbox: SignedInMailbox | null = null;
  /** Of the command that runs. */
  tag = '';
  /** Attempts to sign in. */
  failures = 0;
  /** What the client hears behind the next answer, and then no more; null: it may go on. */
  farewell: string | null = null;
  /** The client has said LOGOUT, or is to hear no more. */
  isLeaving = false;
  /** Runs once the answer is sent: what comes after it is in another layer (STARTTLS, COMPRESS). */
  afterAnswer: (() => Promise<void>) | null = null;
  readonly #options: ImapSessionOptions;
  #selected: SelectedFolder | null = null;
  #notices: Disposable | null = null;
  /** Resolved by the next notice. */
  #noticed = Promise.withResolvers<void>();

  constructor(connection: ClientConnection, services: ImapServices, options: ImapSessionOptions) {
    this.#options = options;
    this.connection = connection;
    this.services = services;
    this.output = new Output(connection);
  }

  get selected(): SelectedFolder | null {
    return this.#selected;
  }

  /** Opens a folder, or with null closes the one that is open. */
  select(folder: SelectedFolder | null): void {
    this.#notices?.[Symbol.dispose]();
    this.#notices = null;
    this.#selected = folder;
    if (folder === null) return;
    const { mailboxId, folderId } = folder.key;
    this.#notices = this.services.notices.subscribe(mailboxId, (id) => {
      if (id !== null && id !== folderId) return;
      folder.noteChange();
      this.#noticed.resolve();
      this.#noticed = Promise.withResolvers();
    });
  }

  /** Resolves when something happens in the selected folder. */
  get notice(): Promise<void> {
    return this.#noticed.promise;
  }

  get isOver(): boolean {
    return this.isLeaving || this.connection.isOver;
  }

  /** See `ImapSessionOptions`. */
  get secureContext(): ImapSessionOptions['secureContext'] {
    return this.#options.secureContext;
  }

  /** Whether a password can be sent. */
  get mayPassword(): boolean {
    return this.connection.isPrivate;
  }

  /** IMAP4rev2 was enabled: what RFC 9051 says differently holds. */
  get isRev2(): boolean {
    return this.enabled.has('IMAP4REV2');
  }

  /** Names of mailboxes are UTF-8. */
  get isUtf8(): boolean {
    return this.isRev2 || this.enabled.has('UTF8=ACCEPT');
  }

  /** FETCH tells MODSEQ beside FLAGS (RFC 7162, section 3.1). */
  get hasCondstore(): boolean {
    return this.enabled.has('CONDSTORE');
  }

  /** From now on the mailbox is shown, until its owner leaves or may not see it any more. */
  signedIn(mailbox: SignedInMailbox): void {
    this.mailbox = mailbox;
    const end = () => this.connection.end(FAREWELLS.signInEnded);
    if (mailbox.ended.aborted) end();
    else mailbox.ended.addEventListener('abort', end, { once: true });
  }

  /** FETCH that nobody asked for has the UID (RFC 9051, section 7.5.2; RFC 7162, section 3.2.4): RFC 3501 has nothing but what changed. */
  get hasUidsInNews(): boolean {
    return this.isRev2 || this.enabled.has('QRESYNC');
  }

  /** @param text without `* ` and CRLF */
  untagged(text: string): void {
    this.output.line(`* ${text}`);
  }

  /** The last thing that the client hears. */
  end(farewell: string): void {
    this.isLeaving = true;
    this.output.flush();
    this.connection.end(farewell);
  }

  /** @param name as the client wrote it, decoded: INBOX in any case is the Inbox (RFC 9051, section 5.1) */
  async findFolder(name: string): Promise<OwnFolder | null> {
    if (this.mailbox === null) return null;
    const { projectId, mailboxId } = this.mailbox;
    const wanted = normalFolderName(name);
    const folders = await this.services.store.folders({ projectId, mailboxId });
    const folder = folders.find((each) => each.name === wanted);
    return folder === undefined ? null : { ...folder, key: { projectId, mailboxId, folderId: folder.id } };
  }

  /**
   * Asks the client for another line of a command that needs one (AUTHENTICATE).
   * @param prompt what stands behind `+ ` @returns null: the connection is over
   */
  async ask(prompt: string): Promise<Buffer | null> {
    this.output.line(`+ ${prompt}`);
    this.output.flush();
    const read = await this.connection.rawLine();
    if (read === null || 'octets' in read) return read?.octets ?? null;
    this.end(FAREWELLS.lineTooLong);
    return null;
  }

  /** Tells what happened in the selected folder. The loop does it after every command; IDLE when a notice came. */
  async tell(telling: Telling, looks: boolean): Promise<void> {
    const { selected } = this;
    if (selected === null || telling === 'nothing' || !(looks || selected.isStale)) return;
    const news = await selected.sync(telling === 'everything');
    if (news !== null) return this.#say(selected, news);
    this.select(null);
    if (this.isRev2 || this.enabled.has('QRESYNC')) this.untagged('OK [CLOSED] The mailbox was deleted');
    else this.end(FAREWELLS.folderDeleted);
  }

  async #say(
    selected: SelectedFolder,
    { expunged, exists, recent, changed, keywords }: FolderNews,
  ): Promise<void> {
    if (this.enabled.has('QRESYNC')) await sayVanished(this, expunged.uids);
    else
      for (const number of expunged.numbers) {
        this.untagged(`${number} EXPUNGE`);
        if (this.output.isRoomDue && !(await this.output.room())) return;
      }
    if (keywords.length > 0) this.sayFlags(selected);
    if (exists !== null) this.untagged(`${exists} EXISTS`);
    if (recent !== null && !this.isRev2) this.untagged(`${recent} RECENT`);
    for (const { number, message } of changed) {
      this.tellFlags(number, message);
      if (!(await this.output.room())) return;
    }
  }

  /** What the newest MODSEQ is of which the client was told everything, where an answer had a newer one. */
  tellModseq(): void {
    if (this.#selected?.takeSaidAhead() === true && this.hasCondstore)
      this.untagged(`OK [HIGHESTMODSEQ ${this.#selected.modseq}] There is more to tell`);
  }

  /** FETCH with what is told of flags that changed: UID and MODSEQ to whom they mean something. */
  tellFlags(number: number, message: FlaggedMessage): void {
    const uid = this.hasUidsInNews ? `UID ${message.uid} ` : '';
    const modseq = this.hasCondstore ? ` MODSEQ (${message.modseq})` : '';
    this.untagged(`${number} FETCH (${uid}FLAGS ${this.flagsOf(message)}${modseq})`);
  }

  /**
   * A command has shown that the client knows MODSEQs (RFC 7162, section 3.1): STATUS (HIGHESTMODSEQ), FETCH MODSEQ or CHANGEDSINCE, STORE
   * UNCHANGEDSINCE, SEARCH MODSEQ, SELECT (CONDSTORE).
   */
  enableCondstore(): void {
    if (this.enabled.has('CONDSTORE')) return;
    this.enabled.add('CONDSTORE');
    // What it was told so far came without one.
    if (this.#selected !== null)
      this.untagged(`OK [HIGHESTMODSEQ ${this.#selected.modseq}] The newest change`);
  }

  /**
   * As this session is told them: IMAP4rev2 has no \Recent. A keyword that is new to the folder is said first, so the text is made before
   * the line that it stands in is begun.
   */
  flagsOf(message: FlaggedMessage): string {
    const selected = this.#selected;
    if (selected !== null && selected.learn(message.keywords).length > 0) this.sayFlags(selected);
    return flagList(message, !this.isRev2 && selected?.isRecent(message.uid) === true);
  }

  /** Which flags there are, and whether clients may make new ones. */
  sayFlags({ keywords, isReadOnly }: SelectedFolder): void {
    this.untagged(`FLAGS ${flagsOfFolder(keywords)}`);
    const more = keywords.length < MAX_FOLDER_KEYWORDS ? ['\\*'] : [];
    this.untagged(
      isReadOnly
        ? 'OK [PERMANENTFLAGS ()] Nothing can be changed'
        : `OK [PERMANENTFLAGS ${flagsOfFolder(keywords, more)}] These are kept`,
    );
  }

  [Symbol.dispose](): void {
    this.select(null);
    this.mailbox?.[Symbol.dispose]();
  }
}
