/**
 * The session of one client, from the greeting to the end of the connection. Every command handler receives the session.
 *
 * **To add a command**, write `commands/<verb>.ts` with a function `(session, command) => Promise<TaggedResponse>`, and add it to the
 * table in `commands/index.ts`, which declares the allowed state, whether the command writes, and which updates may precede its response.
 * Test the command in `dialogues/*.txt`. Handlers receive parsed commands whose limits `rfc/imap` has checked.
 *
 * **Responses**: send untagged responses with `session.untagged('SEARCH 1 2')`. In long responses, call `await session.output.drained()`
 * between messages, to flush the output and to wait for slow clients. If `drained` returns false, the connection is over; stop. Return
 * `ok()`, `no()` or `bad()` (`responses.ts`); the command loop adds the tag. An exception is a bug: it is logged, and the response is NO
 * [UNAVAILABLE]. Only APPEND returns a `LaterResponse`, so that the next APPEND is read before the message is stored.
 *
 * **Data**: use `session.services.store` and `.blobs` only with the key of an account (`accounts.ts`), or with a `FolderKey` from
 * `session.findFolder` or `selected.key`, so that no command can reach another mailbox. Check `account.mayWrite` before every change.
 *
 * **Message numbers**: `session.selected` has the only list of the messages that the session has reported to the client, "the client's
 * list". `selected.resolve(command.set, command.uid)` returns UID ranges for the store (null: return `RESPONSES.badSet`).
 * `selected.numberOf(uid)` and `.uidAt(number)` convert. Skip messages that are in the store but not yet in the list (`numberOf` is 0). The
 * list never changes while a handler runs, unless the handler calls `session.sendUpdates`.
 *
 * **Updates**: after the handler and before the tagged response, the command loop sends the changes in the selected folder. With
 * `no-expunge`, it sends none of them if messages were expunged. The handler of EXPUNGE therefore only deletes. A handler that reports a
 * change itself, such as STORE, or must not report a change (.SILENT), calls `selected.excludeFromSync(message)`; otherwise the loop
 * reports the change, too. Commands with `pollsStore` poll the store every time, other commands only after a notice or after
 * `selected.noteChange()`.
 *
 * **Memory**: read messages in slices and never collect data from all messages in a folder. Check `session.isOver` between slices.
 */
import type { Logger } from 'pino';
import type { SecureContextOf } from '../../net/tls.ts';
import type { Blobs } from '../../blobs/blobs.ts';
import type { FairSlots } from '../../concurrency/fair-slots.ts';
import { GroupCommit } from '../../db/group-commit.ts';
import type { AppendResult, NewMessage } from '../../store/append.ts';
import type { FlaggedMessage } from '../../store/change-flags.ts';
import type { FactsReader } from '../../store/facts/facts-reader.ts';
import type { Grant } from '../../mailboxes/sharing/grants.ts';
import type { SignedInMailbox, SignIn } from '../../mailboxes/sign-in/sign-in.ts';
import { MAX_FOLDER_KEYWORDS } from '../../store/flags.ts';
import { normalFolderName } from '../../store/folder-name.ts';
import type { MailNotices } from '../../store/notices.ts';
import type { Store } from '../../store/store.ts';
import type { ClientConnection } from '../tcp/client-connection.ts';
import { accountOf } from './accounts.ts';
import { flagList, flagsOfFolder } from './flags.ts';
import { Output } from './output.ts';
import { FAREWELLS } from './responses.ts';
import type { MessageParts } from './fetch/message-parts.ts';
import type { FolderChanges, MailboxFolder, SelectedFolder } from './selected-folder.ts';
import { sendVanished } from './vanished.ts';

export interface ImapServices {
  hostname: string;
  /** The largest message that APPEND and REPLACE may store (`POSTHORN_MAX_IMPORT_MB`). */
  maxMessageOctets: number;
  store: Store;
  blobs: Blobs;
  /** Parses appended messages. */
  facts: FactsReader;
  /** Locates the MIME parts of messages. */
  parts: MessageParts;
  /** See `searchSlots`. */
  searches: FairSlots;
  signIn: Pick<SignIn, 'signIn'>;
  notices: Pick<MailNotices, 'subscribe'>;
  logger: Logger;
}

/** Extensions that ENABLE turns on (RFC 5161). Some commands also turn on CONDSTORE. */
export type Enabled = 'CONDSTORE' | 'QRESYNC' | 'UTF8=ACCEPT' | 'IMAP4REV2';

/** Updates of the selected folder before a tagged response. Some commands must not change sequence numbers (RFC 9051, section 7.5.1). */
export type UpdatePolicy = 'everything' | 'no-expunge' | 'nothing';

/** A signed-in session. */
export type SignedInSession = ImapSession & { mailbox: SignedInMailbox };
/** A signed-in session with a selected folder. */
export type FolderSession = SignedInSession & { readonly selected: SelectedFolder };

export interface ImapSessionOptions {
  /** Returns null if there is no certificate, so that STARTTLS cannot be offered. */
  secureContext: SecureContextOf;
  /** Time limit for the client's next command after sign-in, and for DONE. */
  signedInIdleMs: number;
  /** How often IDLE sends a line even without changes. */
  stillHereMs: number;
}

export class ImapSession implements Disposable {
  readonly connection: ClientConnection;
  readonly services: ImapServices;
  readonly options: ImapSessionOptions;
  readonly output: Output;
  readonly enabled = new Set<Enabled>();
  /** Stores messages of pipelined APPENDs, in the order of the commands: those that arrive during a commit share the next commit. */
  readonly appends = new GroupCommit<NewMessage, AppendResult>({
    flights: 1,
    maxItems: 50,
    flush: (messages) => this.services.store.append(messages),
  });
  /** Settles when the messages of earlier APPENDs have been added to `appends`. */
  appending: Promise<unknown> = Promise.resolve();
  /** The signed-in mailbox. Null before sign-in. */
  mailbox: SignedInMailbox | null = null;
  tag = '';
  /** Number of failed sign-in attempts. */
  failures = 0;
  /** The last line of the connection, sent after the next tagged response. Null if the connection stays open after that response. */
  farewell: string | null = null;
  /** Whether LOGOUT was received, or `end` was called. */
  isLeaving = false;
  /** Runs after the tagged response is sent, to switch to the next layer (STARTTLS, COMPRESS). */
  afterResponse: (() => Promise<void>) | null = null;
  #selected: SelectedFolder | null = null;
  #selectedGrant: Grant | null = null;
  #notices: Disposable | null = null;
  /** Resolved by the next notice of a change in the selected folder. */
  #noticed = Promise.withResolvers<void>();

  constructor(connection: ClientConnection, services: ImapServices, options: ImapSessionOptions) {
    this.connection = connection;
    this.services = services;
    this.options = options;
    this.output = new Output(connection);
  }

  get selected(): SelectedFolder | null {
    return this.#selected;
  }

  /** The grant with which the selected folder was opened. Null for a folder of the own account. */
  get selectedGrant(): Grant | null {
    return this.#selectedGrant;
  }

  /** Selects a folder and subscribes to its notices. Null deselects. */
  select(folder: SelectedFolder | null, grant: Grant | null = null): void {
    this.#notices?.[Symbol.dispose]();
    this.#notices = null;
    this.#selected = folder;
    this.#selectedGrant = grant;
    if (folder === null) return;
    const { mailboxId, folderId } = folder.key;
    this.#notices = this.services.notices.subscribe(mailboxId, (id) => {
      if (id !== null && id !== folderId) return;
      folder.noteChange();
      this.#noticed.resolve();
      this.#noticed = Promise.withResolvers();
    });
  }

  /** Resolves at the next change of the selected folder. */
  get notice(): Promise<void> {
    return this.#noticed.promise;
  }

  get isOver(): boolean {
    return this.isLeaving || this.connection.isOver;
  }

  /** Whether passwords are accepted on this connection, because the connection is encrypted or local. */
  get acceptsPasswords(): boolean {
    return this.connection.isPrivate;
  }

  /** Whether IMAP4rev2 is enabled. If not, RFC 3501 applies where RFC 9051 differs. */
  get isRev2(): boolean {
    return this.enabled.has('IMAP4REV2');
  }

  /** Whether mailbox names and strings are sent as UTF-8. */
  get isUtf8(): boolean {
    return this.isRev2 || this.enabled.has('UTF8=ACCEPT');
  }

  /** Whether FETCH responses have MODSEQ besides FLAGS (RFC 7162, section 3.1). */
  get hasCondstore(): boolean {
    return this.enabled.has('CONDSTORE');
  }

  /** Records the sign-in. The connection ends when access to the mailbox is revoked, for example by a new password. */
  signedIn(mailbox: SignedInMailbox): void {
    this.mailbox = mailbox;
    const end = () => this.connection.end(FAREWELLS.signInEnded);
    if (mailbox.ended.aborted) end();
    else mailbox.ended.addEventListener('abort', end, { once: true });
  }

  /** Whether unsolicited FETCH responses include the UID (RFC 9051, section 7.5.2; RFC 7162, section 3.2.4). */
  get hasUidsInUpdates(): boolean {
    return this.isRev2 || this.enabled.has('QRESYNC');
  }

  /** Sends an untagged response. @param text the response without `* ` and CRLF */
  untagged(text: string): void {
    this.output.line(`* ${text}`);
  }

  /** Sends a last line and ends the connection. */
  end(farewell: string): void {
    this.isLeaving = true;
    this.output.flush();
    this.connection.end(farewell);
  }

  /** @param name the decoded name in a command. INBOX is case-insensitive (RFC 9051, section 5.1) */
  async findFolder(name: string): Promise<MailboxFolder | null> {
    if (this.mailbox === null) return null;
    const { store } = this.services;
    const { account, name: inAccount } = await accountOf(this.mailbox, store, name);
    const normalName = normalFolderName(inAccount);
    const folder = (await store.folders(account.key)).find((each) => each.name === normalName);
    return folder === undefined ? null : { ...folder, account, key: { ...account.key, folderId: folder.id } };
  }

  /**
   * Sends a continuation request of AUTHENTICATE and reads the client's line.
   * @param prompt the text after `+ ` @returns the line; null if the connection is over
   */
  async ask(prompt: string): Promise<Buffer | null> {
    this.output.line(`+ ${prompt}`);
    this.output.flush();
    const read = await this.connection.rawLine();
    if (read === null || 'octets' in read) return read?.octets ?? null;
    this.end(FAREWELLS.lineTooLong);
    return null;
  }

  /**
   * Sends the changes in the selected folder. The command loop calls this method after every command, and IDLE after every notice.
   * @param pollsStore whether to poll the store even without a notice
   */
  async sendUpdates(policy: UpdatePolicy, pollsStore: boolean): Promise<void> {
    const { selected } = this;
    if (selected === null || policy === 'nothing' || !(pollsStore || selected.isStale)) return;
    const changes = await selected.sync(policy === 'everything');
    if (changes !== null) return this.#sendChanges(selected, changes);
    this.select(null);
    if (this.isRev2 || this.enabled.has('QRESYNC')) this.untagged('OK [CLOSED] The mailbox was deleted');
    else this.end(FAREWELLS.folderDeleted);
  }

  async #sendChanges(
    selected: SelectedFolder,
    { expunged, exists, recent, changed, keywords }: FolderChanges,
  ): Promise<void> {
    if (this.enabled.has('QRESYNC')) await sendVanished(this, expunged.uids);
    else
      for (const number of expunged.numbers) {
        this.untagged(`${number} EXPUNGE`);
        if (this.output.isDrainDue && !(await this.output.drained())) return;
      }
    if (keywords.length > 0) this.sendFolderFlags(selected);
    if (exists !== null) this.untagged(`${exists} EXISTS`);
    if (recent !== null && !this.isRev2) this.untagged(`${recent} RECENT`);
    for (const { number, message } of changed) {
      this.sendMessageFlags(number, message);
      if (!(await this.output.drained())) return;
    }
  }

  /** Sends the MODSEQ up to which all changes have been reported, if a response contained a higher MODSEQ. */
  sendHighestModseq(): void {
    if (this.#selected?.takeSentAhead() === true && this.hasCondstore)
      this.untagged(`OK [HIGHESTMODSEQ ${this.#selected.modseq}] Later changes are still to be reported`);
  }

  /** Sends a FETCH response with changed flags, and with UID and MODSEQ if the client enabled extensions that require UID or MODSEQ. */
  sendMessageFlags(number: number, message: FlaggedMessage): void {
    const uid = this.hasUidsInUpdates ? `UID ${message.uid} ` : '';
    const modseq = this.hasCondstore ? ` MODSEQ (${message.modseq})` : '';
    this.untagged(`${number} FETCH (${uid}FLAGS ${this.flagsOf(message)}${modseq})`);
  }

  /**
   * Enables CONDSTORE after ENABLE, or after a command that implies CONDSTORE (RFC 7162, section 3.1): STATUS (HIGHESTMODSEQ), FETCH MODSEQ
   * or CHANGEDSINCE, SELECT (CONDSTORE). STORE UNCHANGEDSINCE and SEARCH MODSEQ add CONDSTORE to `enabled` themselves.
   */
  enableCondstore(): void {
    if (this.enabled.has('CONDSTORE')) return;
    this.enabled.add('CONDSTORE');
    // The client needs the MODSEQ of the folder, because earlier responses had no MODSEQ.
    if (this.#selected !== null) this.untagged(`OK [HIGHESTMODSEQ ${this.#selected.modseq}] Highest MODSEQ`);
  }

  /**
   * Formats the flags of a message for this session; IMAP4rev2 has no \Recent. Sends a FLAGS response if the message has a keyword that is
   * new to the client. Therefore call this method before writing the start of the line that contains the result.
   */
  flagsOf(message: FlaggedMessage): string {
    const selected = this.#selected;
    if (selected !== null && selected.addKeywords(message.keywords).length > 0)
      this.sendFolderFlags(selected);
    return flagList(message, !this.isRev2 && selected?.isRecent(message.uid) === true);
  }

  /** Sends FLAGS and PERMANENTFLAGS. `\*` in PERMANENTFLAGS means that the folder accepts new keywords. */
  sendFolderFlags({ keywords, isReadOnly }: SelectedFolder): void {
    this.untagged(`FLAGS ${flagsOfFolder(keywords)}`);
    const more = keywords.length < MAX_FOLDER_KEYWORDS ? ['\\*'] : [];
    this.untagged(
      isReadOnly
        ? 'OK [PERMANENTFLAGS ()] The mailbox is read-only'
        : `OK [PERMANENTFLAGS ${flagsOfFolder(keywords, more)}] Permanent flags`,
    );
  }

  [Symbol.dispose](): void {
    this.select(null);
    this.mailbox?.[Symbol.dispose]();
  }
}
