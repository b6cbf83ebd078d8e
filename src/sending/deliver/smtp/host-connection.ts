import { smtpConnections } from '../../../observe/instruments.ts';
import { dotStuff, endOfData } from '../../../rfc/smtp/dot-stuffing.ts';
import type { SmtpReply } from '../../../rfc/smtp/reply.ts';
import { localReply, type ReplyFields, replyFieldsOf } from './attempt-reply.ts';
import type { HostSession } from './host-session.ts';
import type { Timings } from './timings.ts';
import { type HostRole, Transaction, type Transfer } from './transaction.ts';
import type { WireListener } from './wire.ts';

export interface ConnectionOptions {
  role: HostRole;
  /** The number of messages after which the connection ends. */
  maxMessages: number;
  timings: Timings;
}

/** The owner of a connection. Supplies messages to the connection and is notified when the connection ends. */
export interface ConnectionOwner {
  next(connection: HostConnection): Transfer | undefined;
  /** Takes back a transfer that was not handed over, which may be sent on another connection. */
  requeue(transfer: Transfer): void;
  /**
   * Called once when the connection has ended, before its transfers are settled or returned.
   * @param wasLost whether the connection was lost while it had transfers
   */
  closed(connection: HostConnection, wasLost: boolean): void;
}

/**
 * A session over which messages are sent one after another.
 *
 * It has two slots. A message enters at `opening` and moves to `ending` when its final dot is written:
 *
 *   opening:  [reset ->] envelope (MAIL, RCPT, DATA) -> content -> mayCommit -> ending
 *   ending:   the reply to the dot -> settled
 *
 * `reset` is sent first if the previous transaction ended without a dot. Replies belong to `ending` first. With PIPELINING (RFC 2920),
 * `opening` is filled while `ending` still waits, and the commands of the new message are in one write with the content of the previous
 * message; without PIPELINING, each command waits for the reply to the previous one. When the connection is lost, the message in `opening`
 * can be sent again, but it is unknown whether the message in `ending` was accepted.
 *
 *   open -> quitting (the slots `opening` and `ending` are empty, QUIT is written) -> gone
 *   open -> gone (lost, too slow, or a lease was lost before the dot)
 */
export class HostConnection implements WireListener {
  readonly session: HostSession;
  /** The number of messages that the host accepted. */
  accepted = 0;
  /** When the connection last had a message, on the clock of `performance.now`. */
  idleSinceMs = performance.now();
  readonly #options: ConnectionOptions;
  readonly #owner: ConnectionOwner;
  /** The number of messages that this connection may still take. */
  #left: number;
  #state: 'open' | 'quitting' | 'gone' = 'open';
  #opening: Transaction | null = null;
  #phase: 'reset' | 'envelope' | 'content' = 'envelope';
  #ending: Transaction | null = null;
  /** Whether the host still has an unfinished transaction open. */
  #needsReset = false;
  #isFirst = true;

  constructor(session: HostSession, options: ConnectionOptions, owner: ConnectionOwner) {
    this.session = session;
    this.#options = options;
    this.#left = options.maxMessages;
    this.#owner = owner;
    smtpConnections.inc();
    session.wire.listen(this);
    this.#setDeadline();
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  get isIdle(): boolean {
    return this.isOpen && this.#opening === null && this.#ending === null;
  }

  /** Whether the connection may take more messages, now or later. */
  get hasCapacity(): boolean {
    return this.isOpen && this.#left > 0;
  }

  /** Takes the owner's next message, if the owner has a message and a slot is free. */
  takeWork(): void {
    const wasIdle = this.isIdle;
    const commands = this.#open();
    if (commands !== '') this.session.wire.write(commands);
    else if (wasIdle && this.#left === 0) this.#quit();
    // Messages that are added while the host is silent must not extend the deadline.
    if (wasIdle && commands !== '') this.#setDeadline();
  }

  /** Takes no more messages and sends QUIT once the current messages are settled. */
  retire(): void {
    this.#left = 0;
    if (this.isIdle) this.#quit();
  }

  /** Ends the connection at once. */
  destroy(reason: string): void {
    this.#breakOff(localReply(reason), false);
  }

  onReplies(replies: readonly SmtpReply[]): void {
    for (const reply of replies) {
      (this.#ending ?? this.#opening)?.transfer.transcript.server(reply);
      if (this.#ending !== null) this.#onDotReply(this.#ending, reply);
      else if (this.#opening !== null) this.#onOpeningReply(this.#opening, reply);
      // Either the reply to QUIT, or the 421 with which a host ends an idle connection.
      else this.#end();
    }
    this.#setDeadline();
  }

  onLost(why: string): void {
    this.#breakOff(localReply(why), true);
  }

  onLate(): void {
    if (this.isIdle) return this.#quit();
    if (this.#state === 'quitting') return this.#end();
    // The message that timed out is not retried at once. The message behind it did not cause the delay, so that message is retried.
    this.#breakOff(localReply('the host took too long to answer'), this.#ending !== null);
  }

  /** Fills `opening`, if free, with the next message. @returns the commands to write for the message; empty if there is none */
  #open(): string {
    const { capabilities } = this.session;
    while (this.isOpen && this.#left > 0 && this.#opening === null) {
      if (this.#ending !== null && !capabilities.pipelining) return '';
      const transfer = this.#owner.next(this);
      if (transfer === undefined) return '';
      const transaction = new Transaction(transfer, this.session, this.#options.role);
      transaction.introduce(this.#isFirst);
      this.#isFirst = false;
      if (!transaction.isUndecided) {
        transaction.settle();
        continue;
      }
      this.#left -= 1;
      this.#opening = transaction;
      this.#phase = this.#needsReset ? 'reset' : 'envelope';
      const reset = this.#needsReset ? ['RSET\r\n'] : [];
      this.#needsReset = false;
      const commands = [...reset, ...transaction.commands];
      return transaction.recordCommands(capabilities.pipelining ? commands : commands.slice(0, 1));
    }
    return '';
  }

  #onOpeningReply(transaction: Transaction, reply: SmtpReply): void {
    // 421 may be the reply to any command, and means that the host closes the connection (RFC 5321, section 3.8).
    if (reply.code === 421) {
      this.#breakOff(replyFieldsOf(reply), true);
    } else if (this.#phase === 'content') {
      this.#onEarlyReply(transaction, reply);
    } else if (transaction.next === 'data' && this.#phase === 'envelope') {
      this.#onDataReply(transaction, reply);
    } else if (reply.code >= 300 && (reply.code < 400 || this.#phase === 'reset')) {
      this.#onNonsense(reply);
    } else {
      if (this.#phase === 'reset') this.#phase = 'envelope';
      else transaction.takeReply(reply);
      this.#goOn(transaction);
    }
  }

  /** Sends the next command after each reply, for hosts without PIPELINING (RFC 5321, section 4.5.3.2, without RFC 2920). */
  #goOn(transaction: Transaction): void {
    if (this.session.capabilities.pipelining) return;
    if (transaction.isUndecided) {
      this.session.wire.write(transaction.recordCommands([transaction.nextCommand]));
    } else {
      this.#leave();
      transaction.settle();
      this.takeWork();
    }
  }

  #onDataReply(transaction: Transaction, reply: SmtpReply): void {
    if (reply.code === 354) {
      if (transaction.isUndecided) this.#writeContent(transaction);
      // The host accepted DATA although it rejected the recipient (RFC 2920, section 3.1).
      else this.#moveToEnding(transaction, Buffer.alloc(0), '.\r\n');
    } else if (reply.code < 400) {
      this.#onNonsense(reply);
    } else {
      this.#leave();
      transaction.conclude(reply, 'data');
      this.takeWork();
    }
  }

  #writeContent(transaction: Transaction): void {
    const content = dotStuff(transaction.transfer.message.data);
    const end = endOfData(content);
    transaction.transfer.transcript.content(content.length);
    this.#phase = 'content';
    this.session.wire.writeContent(content, {
      onWritten: () => this.#setDeadline(),
      commit: (rest) => this.#commit(transaction, rest, end),
    });
  }

  #commit(transaction: Transaction, rest: Buffer, end: string): void {
    if (transaction.transfer.message.mayCommit()) {
      this.#moveToEnding(transaction, rest, end);
    } else {
      // The content can be withdrawn only by ending the connection before the dot.
      this.#opening = null;
      transaction.settle({ outcome: 'abandoned' });
      this.#end();
    }
  }

  #moveToEnding(transaction: Transaction, content: Buffer, end: string): void {
    this.#opening = null;
    this.#ending = transaction;
    // The content of a message and the commands after it are one write, and one packet if they fit.
    this.session.wire.write(Buffer.concat([content, Buffer.from(end + this.#open())]));
  }

  #onDotReply(transaction: Transaction, reply: SmtpReply): void {
    if (reply.code >= 300 && reply.code < 400) return this.#onNonsense(reply);
    this.#ending = null;
    if (reply.code < 300) this.accepted += 1;
    transaction.conclude(reply, 'dot');
    // The reply 421 belongs to this message. The next message may belong to another project and must not get this reply.
    if (reply.code === 421) this.#breakOff(localReply('the host ended the connection'), true);
    else if (this.#opening === null) this.takeWork();
  }

  /** Handles a rejection during the content. The dot is not written, so the host has not accepted the message. */
  #onEarlyReply(transaction: Transaction, reply: SmtpReply): void {
    if (reply.code < 400) return this.#onNonsense(reply);
    this.#opening = null;
    this.#end();
    transaction.conclude(reply, 'data');
  }

  #onNonsense(reply: SmtpReply): void {
    this.#breakOff(localReply(`the host answered ${reply.code} unexpectedly`), true);
  }

  /** Ends the transaction in `opening` without a dot. */
  #leave(): void {
    this.#opening = null;
    this.#needsReset = true;
  }

  #breakOff(reason: ReplyFields, retry: boolean): void {
    const ending = this.#ending;
    const opening = this.#opening;
    this.#ending = null;
    this.#opening = null;
    this.#end(ending !== null || opening !== null);
    const note = reason.replyCode === null ? reason.text : 'the host ends the connection';
    for (const transaction of [ending, opening]) transaction?.transfer.transcript.note(note);
    ending?.loseTrack(reason.text);
    if (opening === null) return;
    if (retry && !opening.transfer.retried) {
      opening.transfer.retried = true;
      this.#owner.requeue(opening.transfer);
    } else {
      opening.breakOff(reason);
    }
  }

  #quit(): void {
    if (!this.isOpen) return;
    this.#state = 'quitting';
    this.session.wire.write('QUIT\r\n');
    this.#setDeadline();
  }

  #end(wasLost = false): void {
    if (this.#state === 'gone') return;
    this.#state = 'gone';
    smtpConnections.dec();
    this.session.wire.destroy();
    this.#owner.closed(this, wasLost);
  }

  #setDeadline(): void {
    if (this.isIdle) this.idleSinceMs = performance.now();
    this.session.wire.expectWithin(this.#patienceMs());
  }

  #patienceMs(): number {
    const { timings } = this.#options;
    if (this.#state !== 'open') return timings.graceMs;
    if (this.#ending !== null) return timings.dotMs;
    if (this.#opening === null) return timings.idleMs;
    if (this.#phase === 'content') return timings.blockMs;
    return this.#phase === 'envelope' && this.#opening.next === 'data' ? timings.dataMs : timings.commandMs;
  }
}
