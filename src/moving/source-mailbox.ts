/** A mailbox on another IMAP server, which is only read. */
import {
  type FetchMessageObject,
  type FetchQueryObject,
  ImapFlow,
  type ListResponse,
  type MailboxObject,
} from 'imapflow';
import type { FolderRole } from '../model/folder-roles.ts';
import { AppError } from '../model/app-error.ts';
import { printable } from '../rfc/smtp/reply.ts';
import { FLAG } from '../store/flags.ts';
import { rangesOf } from '../store/uid-ranges.ts';

export interface SourceServer {
  host: string;
  port: number;
  /** Whether the connection begins with TLS. Otherwise, STARTTLS is required. */
  isSecure: boolean;
  /** Whether to sign in without TLS if the server offers none. */
  allowsPlaintext: boolean;
  /** Certificates of authorities in PEM, instead of the public ones. */
  ca: string | null;
}

export interface SourceLogin {
  user: string;
  password: string;
  /** The administrator who signs in for `user` (RFC 4616); null if the password is the user's own. */
  master: string | null;
}

/** The flags of a message on the source. */
export interface SourceFlags {
  /** Bits of `FLAG`. */
  flags: number;
  /** Sorted. They may be invalid here. */
  keywords: string[];
}

export interface SourceMessage extends SourceFlags {
  uid: number;
  size: number;
  /** Null if the source sent no valid date. */
  internalDate: Date | null;
}

export interface SourceFolder {
  /** The path as the source has it. */
  path: string;
  /** The path with `/` between levels. Levels that contain a `/` have a control character instead, which is not valid in names. */
  name: string;
  role: FolderRole | null;
  isSubscribed: boolean;
}

export interface OpenedFolder {
  uidValidity: number;
  uidNext: number;
  messages: number;
  /** HIGHESTMODSEQ (RFC 7162, section 3.1.2.1). Null if the source does not have it. */
  modseq: string | null;
}

const MB = 1024 * 1024;
/** A list of UIDs has at most eleven octets per message. */
const MAX_LINE_OCTETS = 64 * MB;
const CONNECT_MS = 30_000;
/** A server may need minutes for the list of a large folder. */
const SILENCE_MS = 10 * 60_000;
/** Attack: a source sends any number of flags for each message. More than fit here are useless. */
const MAX_FLAGS = 150;
const MAX_FLAG_LENGTH = 256;
const MAX_FOLDERS = 5_000;
/** More than so many folders have in a list and in a list of subscriptions. */
const MAX_LIST_OCTETS = 4 * MB;
const LIST_CHECK_MS = 50;
/** Messages in a row that the source refuses to send. If it refuses more, it has another problem than broken messages. */
const MAX_REFUSED = 100;
/** Changes of flags by other sessions are sent without a request, at most once for each message. */
const MAX_UNREQUESTED = 1_000_000;

const BITS: ReadonlyMap<string, number> = new Map([
  ['\\seen', FLAG.seen],
  ['\\answered', FLAG.answered],
  ['\\flagged', FLAG.flagged],
  ['\\deleted', FLAG.deleted],
  ['\\draft', FLAG.draft],
]);

const ROLES: ReadonlyMap<string, FolderRole> = new Map([
  ['\\Sent', 'sent'],
  ['\\Drafts', 'drafts'],
  ['\\Junk', 'junk'],
  ['\\Trash', 'trash'],
  ['\\Archive', 'archive'],
]);

export class SourceMailbox implements AsyncDisposable {
  readonly #client: ImapFlow;
  /** The selected folder. The client replaces the object when it selects another one, and when it loses the connection. */
  #selected: MailboxObject | null = null;
  /** Messages in a row that the source refused to send. */
  #refused = 0;

  private constructor(client: ImapFlow) {
    this.#client = client;
  }

  /**
   * Connects and signs in.
   * @param maxMessageOctets the connection ends if the source sends a larger message
   * @throws AppError if the sign-in fails or could be for another user, or TLS is missing or not trusted: another try would fail too
   */
  static async open(
    { host, port, isSecure, allowsPlaintext, ca }: SourceServer,
    { user, password, master }: SourceLogin,
    maxMessageOctets: number,
  ): Promise<SourceMailbox> {
    const client = new ImapFlow({
      host,
      port,
      secure: isSecure,
      ...(!isSecure && !allowsPlaintext && { doSTARTTLS: true }),
      ...(ca !== null && { tls: { ca } }),
      auth:
        master === null
          ? { user, pass: password }
          : { user: master, pass: password, authzid: user, loginMethod: 'AUTH=PLAIN' },
      logger: false,
      disableAutoIdle: true,
      connectionTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      maxLineLength: MAX_LINE_OCTETS,
      maxLiteralSize: maxMessageOctets,
      maxResponseSize: maxMessageOctets + MAX_LINE_OCTETS,
    });
    // Errors of a connection reject the running command too.
    client.on('error', () => {});
    try {
      await client.connect();
    } catch (error) {
      client.close();
      if (master !== null && isRejected(error) && !methodsOf(client).has(PLAIN)) throw noPlain();
      throw refusalOf(error, user) ?? error;
    }
    const used = [...methodsOf(client)].flatMap(([method, isUsed]) => (isUsed ? [method] : []));
    if (used.length === 0 || (master !== null && !used.includes(PLAIN))) {
      client.close();
      throw used.length === 0 ? signedInBefore() : noPlain();
    }
    return new SourceMailbox(client);
  }

  /** Whether the source says that it is Dovecot (RFC 2971). */
  get isDovecot(): boolean {
    return this.#client.serverInfo?.name === 'Dovecot';
  }

  /**
   * The folders of the user that can have messages, and the paths of those that belong to other users or are shared (RFC 9051, section 6.3.10).
   * @throws Error if the source lists no Inbox, because then the list is not complete
   */
  async folders(): Promise<{ own: SourceFolder[]; foreign: string[] }> {
    const client = this.#client;
    const prefix = client.namespace?.prefix ?? '';
    const listed = (await this.#list()).filter(
      ({ flags }) => !flags.has('\\Noselect') && !flags.has('\\NonExistent'),
    );
    const own = listed.filter((folder) => this.#isOwn(folder));
    if (!own.some(isInbox)) throw new Error('The old server lists no Inbox.');
    return {
      own: own.map((folder) => ({
        path: folder.path,
        name: nameOf(folder, prefix),
        role: isInbox(folder)
          ? 'inbox'
          : folder.specialUseSource === 'extension'
            ? (ROLES.get(folder.specialUse ?? '') ?? null)
            : null,
        isSubscribed: folder.subscribed,
      })),
      foreign: listed.filter((folder) => !own.includes(folder)).map(({ path }) => path),
    };
  }

  /** Whether a folder is in a personal namespace. The most specific namespace decides, because they can be inside each other. */
  #isOwn(folder: ListResponse): boolean {
    const { personal, other, shared } = this.#client.namespaces ?? {};
    // Prefixes are not decoded.
    const listed = folder.pathAsListed;
    if (isInbox(folder)) return true;
    const longest = (namespaces: readonly { prefix: string }[] | false | undefined) =>
      Math.max(
        -1,
        ...(namespaces || [])
          .filter(({ prefix }) => listed.startsWith(prefix))
          .map(({ prefix }) => prefix.length),
      );
    if (longest(personal) >= Math.max(longest(other), longest(shared))) return true;
    // Posthorn has own folders in its namespace of shared mailboxes too (src/doors/imap/accounts.ts).
    return this.#client.serverInfo?.name === 'Posthorn' && !/^Shared\/[^/]*@/.test(listed);
  }

  /** @throws Error if the list is too long */
  async #list(): Promise<ListResponse[]> {
    const client = this.#client;
    const tooMany = new Error(`The old server lists more than ${MAX_FOLDERS} folders.`);
    const before = client.stats().received;
    let isTooLong = false;
    // Attack: a source lists folders without end, and the client collects them all.
    const timer = setInterval(() => {
      if (client.stats().received - before <= MAX_LIST_OCTETS) return;
      isTooLong = true;
      client.close();
    }, LIST_CHECK_MS);
    try {
      const listed = await client.list();
      // Without a connection, the client returns nothing.
      if (!Array.isArray(listed)) throw this.#lost();
      if (listed.length > MAX_FOLDERS) throw tooMany;
      return listed;
    } catch (error) {
      throw isTooLong ? tooMany : error;
    } finally {
      clearInterval(timer);
    }
  }

  /** Selects a folder without changing it. @returns null if the source refuses, for example because the user lacks a right */
  async select(path: string): Promise<OpenedFolder | null> {
    this.#selected = null;
    try {
      const opened = (await this.#client.mailboxOpen(path, { readOnly: true })) as MailboxObject | undefined;
      if (opened === undefined) throw this.#lost();
      // Courier sends it only in response to STATUS, from which the client adds it.
      if (!Number.isSafeInteger(opened.uidNext)) await this.#client.status(path, { uidNext: true });
      const numbers = {
        EXISTS: opened.exists,
        UIDNEXT: opened.uidNext,
        UIDVALIDITY: Number(opened.uidValidity),
      };
      for (const [name, number] of Object.entries(numbers))
        if (!Number.isSafeInteger(number))
          throw new Error(`The old server did not select the folder ${path}: it sent no ${name}.`);
      this.#selected = opened;
      return {
        uidValidity: numbers.UIDVALIDITY,
        uidNext: numbers.UIDNEXT,
        messages: numbers.EXISTS,
        modseq: opened.noModseq === true ? null : (opened.highestModseq?.toString() ?? null),
      };
    } catch (error) {
      if (isRefusal(error)) return null;
      throw error;
    }
  }

  /** The UIDs of all messages in the selected folder, ascending. @throws Error if the list is not complete */
  async uids(): Promise<number[]> {
    const selected = this.#stillSelected();
    const before = selected.exists;
    if (before === 0) return [];
    const uids = await this.#client.search({ all: true }, { uid: true });
    this.#stillSelected();
    // A message that another session expunges in the meantime is missing, but is no longer counted either.
    if (!Array.isArray(uids) || uids.length < Math.min(before, selected.exists))
      throw new Error('The old server did not list all messages of a folder.');
    return uids.sort((a, b) => a - b);
  }

  /**
   * Flags, size and date of messages in the selected folder. Messages that no longer exist are missing, and those that the source does not
   * describe.
   * @param uids at most a few hundred
   */
  async describe(uids: readonly number[]): Promise<SourceMessage[]> {
    const messages: SourceMessage[] = [];
    const query = { flags: true, size: true, internalDate: true };
    for await (const { uid, size, flags, internalDate } of this.#fetch(uids, query, isDescribed))
      messages.push({
        uid,
        size,
        ...flagsOf(flags),
        internalDate:
          internalDate instanceof Date && !Number.isNaN(internalDate.getTime()) ? internalDate : null,
      });
    return messages.sort((a, b) => a.uid - b.uid);
  }

  /** Reads messages in the selected folder, in any order. Messages that no longer exist are missing. */
  async *read(uids: readonly number[]): AsyncGenerator<{ uid: number; raw: Buffer }, void, undefined> {
    for await (const { uid, source } of this.#fetch(uids, { source: true }, hasSource))
      yield { uid, raw: source };
  }

  /** @yields each of the messages once, if it has what was requested and the source does not refuse it */
  async *#fetch<Wanted extends FetchMessageObject>(
    uids: readonly number[],
    query: FetchQueryObject,
    isWanted: (message: FetchMessageObject) => message is Wanted,
  ): AsyncGenerator<Wanted, void, undefined> {
    const wanted = new Set(uids);
    try {
      yield* this.#fetchAll(wanted, query, isWanted);
      this.#refused = 0;
      return;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (uids.length === 1) this.#refused += 1;
      const { responseText } = error as { responseText?: string };
      if (this.#refused > MAX_REFUSED)
        throw new Error(
          printable(
            `The old server refuses to send messages: ${responseText ?? 'it says no reason'}`,
            MAX_REASON,
          ),
          { cause: error },
        );
    }
    // One broken message fails the whole command (RFC 9051, section 6.4.5).
    if (uids.length > 1) for (const uid of wanted) yield* this.#fetch([uid], query, isWanted);
  }

  /** @param wanted UIDs; those of yielded messages are removed */
  async *#fetchAll<Wanted extends FetchMessageObject>(
    wanted: Set<number>,
    query: FetchQueryObject,
    isWanted: (message: FetchMessageObject) => message is Wanted,
  ): AsyncGenerator<Wanted, void, undefined> {
    this.#stillSelected();
    const range = rangeOf([...wanted]);
    let unrequested = 0;
    for await (const message of this.#client.fetch(range, { ...query, uid: true }, { uid: true })) {
      if (isWanted(message) && wanted.delete(message.uid)) {
        yield message;
        continue;
      }
      unrequested += 1;
      if (unrequested <= MAX_UNREQUESTED) continue;
      this.#client.close();
      throw new Error('The old server sends messages without end.');
    }
    this.#stillSelected();
  }

  /**
   * Without a connection, the client returns no messages instead of an error.
   * @throws Error if the folder is no longer selected
   */
  #stillSelected(): MailboxObject {
    const { usable, state, states, mailbox } = this.#client;
    if (!usable || state !== states.SELECTED || mailbox === false || mailbox !== this.#selected)
      throw this.#lost();
    return mailbox;
  }

  #lost(): Error {
    const reason = this.#client.byeReason;
    return new Error(
      `The connection to the old server was lost${reason === undefined ? '.' : `: ${printable(reason, MAX_REASON)}`}`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A broken connection cannot sign out.
    await this.#client.logout().catch(() => {});
    this.#client.close();
  }
}

function isInbox({ path }: ListResponse): boolean {
  return path.toUpperCase() === 'INBOX';
}

/** Whether the source answered NO, and not because it limits the rate of commands. */
function isRefusal(error: unknown): boolean {
  const { responseStatus, code } = error as { responseStatus?: string; code?: string };
  return responseStatus === 'NO' && code !== 'ETHROTTLE';
}

function isDescribed(
  message: FetchMessageObject,
): message is FetchMessageObject & { size: number; flags: Set<string> } {
  return Number.isSafeInteger(message.size) && (message.size ?? -1) >= 0 && message.flags !== undefined;
}

function hasSource(message: FetchMessageObject): message is FetchMessageObject & { source: Buffer } {
  return message.source !== undefined;
}

function rangeOf(uids: readonly number[]): string {
  return rangesOf(uids)
    .map(({ first, last }) => (first === last ? String(first) : `${first}:${last}`))
    .join(',');
}

function nameOf({ path, delimiter }: ListResponse, prefix: string): string {
  const own = path.startsWith(prefix) && path.length > prefix.length ? path.slice(prefix.length) : path;
  if (delimiter === '/') return own;
  const levels = delimiter ? own.split(delimiter) : [own];
  return levels.map((level) => level.replaceAll('/', '\u0001')).join('/');
}

function flagsOf(names: ReadonlySet<string>): SourceFlags {
  let flags = 0;
  const keywords = new Set<string>();
  for (const name of [...names].slice(0, MAX_FLAGS)) {
    flags |= BITS.get(name.toLowerCase()) ?? 0;
    if (!name.startsWith('\\')) keywords.add(name.slice(0, MAX_FLAG_LENGTH));
  }
  return { flags, keywords: [...keywords].sort() };
}

const MAX_REASON = 400;

const PLAIN = 'AUTH=PLAIN';

/**
 * Methods of sign-in that the server offers, and those that the client has used (true).
 *
 * Attack, or mistake: without PLAIN, the client uses LOGIN, and without an error leaves out the user whom the administrator signs in for.
 * Then it opens the administrator's own mailbox, which would be copied into the mailbox of each user.
 */
function methodsOf(client: ImapFlow): ReadonlyMap<string, boolean> {
  // Not among the client's types. If another version has no such map, no sign-in succeeds.
  const { authCapabilities } = client as { authCapabilities?: ReadonlyMap<string, boolean> };
  return authCapabilities ?? new Map();
}

function isRejected(error: unknown): boolean {
  return (error as { authenticationFailed?: boolean }).authenticationFailed === true;
}

/** The mailbox would be that of any user whom the server chose. */
function signedInBefore(): AppError {
  return new AppError(
    'bad-request',
    'The old server signs in every connection by itself (PREAUTH), so the user in the file has no effect. Connect to a port where users sign in.',
  );
}

function noPlain(): AppError {
  return new AppError(
    'bad-request',
    'The old server does not offer AUTH=PLAIN, so an administrator cannot sign in for a user. Leave out --master, and write the password of each user into the file of users.',
  );
}

/** @returns null if another try may succeed */
function refusalOf(error: unknown, user: string): AppError | null {
  const { responseText, code, message } = error as {
    responseText?: string;
    code?: string;
    message: string;
  };
  if (isRejected(error))
    return new AppError(
      'bad-request',
      printable(`The old server rejected the sign-in of ${user}: ${responseText ?? message}`, MAX_REASON),
    );
  if (code !== undefined && /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/.test(code))
    return new AppError(
      'bad-request',
      printable(
        `The certificate of the old server is not trusted: ${message}. Name the authority that issued it with --ca, or use the name in the certificate.`,
        MAX_REASON,
      ),
    );
  if (/STARTTLS/i.test(message))
    return new AppError(
      'bad-request',
      'The old server offers no STARTTLS. Use imaps://, or --allow-plaintext if the network between the servers is trusted.',
    );
  return null;
}
