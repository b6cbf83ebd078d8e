/** The TRANSACTION state (RFC 1939, section 5), and with QUIT the UPDATE state (section 6). */
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { Blobs, OpenBlob } from '../../blobs/blobs.ts';
import { isDatabaseAway } from '../../db/database.ts';
import { encodeId } from '../../model/ids.ts';
import { pop3Messages } from '../../observe/instruments.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { parsePop3Command, type Pop3Command } from '../../rfc/pop3/parse-command.ts';
import { FLAG } from '../../store/flags.ts';
import type { ClientConnection } from '../tcp/client-connection.ts';
import { capabilities } from './capabilities.ts';
import { MarkedMaildrop } from './marked-maildrop.ts';
import type { MaildropOptions, OpenMaildrop } from './open-maildrop.ts';
import { faultReply, REPLIES, replyToFault } from './replies.ts';
import { MultiLine, TopOfMessage } from '../../rfc/pop3/multi-line.ts';

/** How many octets of a message are in memory at a time. Each piece is sent before the next one is read. */
const PIECE_OCTETS = 256 * 1024;

export interface TransactOptions extends Pick<MaildropOptions, 'store' | 'logger'> {
  blobs: Pick<Blobs, 'open'>;
}

/** How many lines of a LIST or UIDL response to write at a time. They take half a millisecond. */
const LIST_SLICE = 1_000;
/** How many messages to delete or flag per transaction. The store would accept more. */
const UPDATE_SLICE = 500;
const NO_UIDLS: ReadonlyMap<number, string> = new Map();

/** Handles commands until the connection is over. Without QUIT, no message is deleted or marked as seen. */
export async function transact(
  connection: ClientConnection,
  maildrop: OpenMaildrop,
  options: TransactOptions,
): Promise<void> {
  const session = new Transaction(connection, maildrop, options);
  connection.write(session.summary);
  for (let read = await connection.line(); read !== null; read = await connection.line()) {
    if ('fault' in read) return connection.end(faultReply(read.fault));
    const command = parsePop3Command(read.line);
    if ('fault' in command) connection.write(replyToFault(command));
    else if (command.verb === 'QUIT') return connection.end(await session.update());
    else await session.run(command);
  }
}

class Transaction {
  readonly #connection: ClientConnection;
  readonly #maildrop: OpenMaildrop;
  readonly #options: TransactOptions;
  readonly #list: MarkedMaildrop;

  constructor(connection: ClientConnection, maildrop: OpenMaildrop, options: TransactOptions) {
    this.#connection = connection;
    this.#maildrop = maildrop;
    this.#options = options;
    this.#list = new MarkedMaildrop(maildrop.drop);
  }

  get summary(): string {
    return `+OK ${this.#list.count} messages (${this.#list.octets} octets)`;
  }

  async run(command: Exclude<Pop3Command, { verb: 'QUIT' }>): Promise<void> {
    const list = this.#list;
    switch (command.verb) {
      case 'STAT':
        return this.#send(`+OK ${list.count} ${list.octets}`);
      case 'LIST':
        return this.#show(command.message, this.summary, async () => (each) => list.octetsOf(each));
      case 'UIDL':
        return this.#uniqueIds(command.message);
      case 'RETR':
        return this.#retrieve(command.message, null);
      case 'TOP':
        return this.#retrieve(command.message, command.lines);
      case 'DELE':
        return this.#send(this.#delete(command.message));
      case 'NOOP':
        return this.#send(REPLIES.ok);
      case 'RSET':
        list.reset();
        return this.#send(this.summary);
      case 'CAPA':
        return this.#send(`${REPLIES.capabilities}\r\n${capabilities({ hasStls: false, mayLogIn: true })}`);
      default:
        return this.#send(REPLIES.signedInAlready);
    }
  }

  /**
   * Applies deletions and \Seen flags, and releases the mailbox before the reply, so that the client can sign in again.
   * @returns the reply
   */
  async update(): Promise<string> {
    const { owner, drop } = this.#maildrop;
    const { store, logger } = this.#options;
    let [retrieved, deleted] = [0, 0];
    let reply: string = REPLIES.bye;
    try {
      // Retrieved messages that are not deleted get \Seen, for other mail apps and for unread counts.
      if (owner.access === 'everything')
        for (const ranges of this.#list.retrieved(UPDATE_SLICE)) {
          const change = { op: 'add', flags: FLAG.seen, keywords: [] } as const;
          const result = await store.flag(drop.folder, ranges, change);
          retrieved += result.outcome === 'flagged' ? result.messages.length : 0;
        }
      for (const ranges of this.#list.deleted(UPDATE_SLICE))
        deleted += (await store.expunge(drop.folder, { ranges, isDeletedOnly: false }))?.length ?? 0;
    } catch (error) {
      if (!isDatabaseAway(error)) logger.error({ err: error }, LOG_MESSAGES.pop3Failed);
      reply = REPLIES.someNotDeleted;
    }
    pop3Messages.inc({ what: 'deleted' }, deleted);
    logger.info(
      { mailboxId: encodeId('mbx', owner.mailboxId), messages: drop.uids.length, retrieved, deleted },
      LOG_MESSAGES.pop3Ended,
    );
    await this.#maildrop[Symbol.asyncDispose]();
    return reply;
  }

  /** @param read prepares the answers for the messages from `first` to `last` */
  async #show(
    number: number | null,
    title: string,
    read: (first: number, last: number) => Promise<(number: number) => string | number>,
  ): Promise<void> {
    if (number !== null) {
      const error = this.#errorFor(number);
      return this.#send(error ?? `+OK ${number} ${(await read(number, number))(number)}`);
    }
    const { length } = this.#maildrop.drop.uids;
    for (let first = 1; first === 1 || first <= length; first += LIST_SLICE) {
      const last = Math.min(first + LIST_SLICE - 1, length);
      const of = await read(first, last);
      if (first === 1) this.#send(title);
      const lines: string[] = [];
      for (let each = first; each <= last; each++)
        if (this.#list.stateOf(each) === 'listed') lines.push(`${each} ${of(each)}\r\n`);
      this.#connection.send(lines.join(''));
      await this.#connection.drained();
      await nextIteration();
      if (this.#connection.isOver) return;
    }
    this.#connection.send('.\r\n');
  }

  /** Messages that came from another server have the unique-ids that they had there, so that mail apps do not download them again. */
  async #uniqueIds(number: number | null): Promise<void> {
    const { drop } = this.#maildrop;
    const { store, logger } = this.#options;
    let hasBegun = false;
    try {
      await this.#show(number, REPLIES.uidl, async (first, last) => {
        const range = { first: this.#list.uidOf(first), last: this.#list.uidOf(last) };
        const uidls = drop.hasUidls ? await store.uidls(drop.folder, range) : NO_UIDLS;
        hasBegun = true;
        return (each) => this.#list.uniqueIdOf(each, uidls);
      });
    } catch (error) {
      if (!isDatabaseAway(error)) logger.error({ err: error }, LOG_MESSAGES.pop3Failed);
      // There is no other way to report an error within a list.
      if (hasBegun) this.#connection.end(REPLIES.brokenOff);
      else this.#send(REPLIES.unreadable);
    }
  }

  #delete(number: number): string {
    const error = this.#errorFor(number);
    if (error !== null) return error;
    if (this.#maildrop.owner.access === 'read') return REPLIES.readOnly;
    this.#list.delete(number);
    return REPLIES.deleted;
  }

  async #retrieve(number: number, lines: number | null): Promise<void> {
    const reply = this.#errorFor(number);
    if (reply !== null) return this.#send(reply);
    const { folder } = this.#maildrop.drop;
    try {
      const uid = this.#list.uidOf(number);
      const [message] = await this.#options.store.messages(folder, [{ first: uid, last: uid }]);
      if (message === undefined) return this.#send(REPLIES.gone);
      const blob = await this.#options.blobs.open(folder.projectId, message.digest);
      const title = lines === null ? `+OK ${this.#list.octetsOf(number)} octets` : REPLIES.top;
      if (!(await sendMessage(this.#connection, blob, title, lines)) || lines !== null) return;
      this.#list.retrieve(number);
      pop3Messages.inc({ what: 'retrieved' });
    } catch (error) {
      if (!isDatabaseAway(error)) this.#options.logger.error({ err: error }, LOG_MESSAGES.pop3Failed);
      this.#send(REPLIES.unreadable);
    }
  }

  /** The error reply if a command must not use the message number; null if the message is listed. */
  #errorFor(number: number): string | null {
    const state = this.#list.stateOf(number);
    if (state === 'listed') return null;
    return state === 'deleted' ? REPLIES.deletedAlready : REPLIES.noSuchMessage;
  }

  #send(reply: string): void {
    this.#connection.write(reply);
  }
}

/**
 * Sends a message piece by piece, as fast as the client reads. If a later piece cannot be read, ends the connection, because there is no
 * other way to report an error within a message.
 * @param blob null if the bytes of the message are missing
 * @param lines number of lines of the body to send after the header; null for the whole message
 * @returns whether the whole response was sent
 * @throws if the first piece cannot be read
 */
async function sendMessage(
  connection: ClientConnection,
  blob: OpenBlob | null,
  title: string,
  lines: number | null,
): Promise<boolean> {
  const out = new MultiLine();
  const top = lines === null ? null : new TopOfMessage(lines);
  const size = blob?.size ?? 0;
  const read = (start: number) => blob?.read({ start, end: Math.min(start + PIECE_OCTETS, size) }) ?? null;
  const first = await read(0);
  if (first === null) throw new Error('the bytes of a message are missing');
  connection.write(title);
  let piece: Buffer | null = first;
  for (let at = 0; ; ) {
    connection.send(out.push(top === null ? piece : top.take(piece)));
    await connection.drained();
    at += piece.length;
    if (at >= size || top?.isOver === true) break;
    piece = await Promise.resolve(read(at)).catch(() => null);
    if (piece === null || piece.length === 0) connection.end(REPLIES.brokenOff);
    if (piece === null || connection.isOver) return false;
  }
  connection.send(out.end());
  return !connection.isOver;
}
