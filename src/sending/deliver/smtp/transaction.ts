import { isAscii } from 'node:buffer';
import { doubtful } from '../../../model/deferral.ts';
import type { Capabilities } from '../../../rfc/smtp/capabilities.ts';
import { mailCommand, rcptCommand } from '../../../rfc/smtp/commands.ts';
import type { DsnRequest } from '../../../rfc/smtp/dsn-parameters.ts';
import type { SmtpReply } from '../../../rfc/smtp/reply.ts';
import type { AttemptReply, OutboundMessage, Outcome, SmtpStep } from '../provider.ts';
import { localReply, type ReplyFields, replyFieldsOf, SmtpAttemptReply } from './attempt-reply.ts';
import type { HostSession } from './host-session.ts';
import { Transcript } from './transcript.ts';

/**
 * `smart-host`: a server chosen by the operator that accepts mail for all recipients. `destination`: a server that accepts mail for its own
 * users.
 */
export type HostRole = 'smart-host' | 'destination';

/** A message that is sent over SMTP. A retry may use another connection. */
export interface Transfer {
  readonly message: OutboundMessage;
  /** The dialogue of all connections used for the message. */
  readonly transcript: Transcript;
  /** Whether the message was already tried on a connection that ended before the content was handed over. */
  retried: boolean;
  /** When the transaction began. Null while the message waits for a connection. */
  begunAtMs: number | null;
  /** Called once, with the outcome of the message. */
  settle(outcome: Outcome): void;
}

export function newTransfer(message: OutboundMessage, settle: Transfer['settle']): Transfer {
  return { message, transcript: new Transcript(), retried: false, begunAtMs: null, settle };
}

const STEPS = ['mail', 'rcpt', 'data'] as const;

/**
 * One mail transaction (RFC 5321, section 3.3): the commands to send for a message, and the meaning of their replies for the message. A
 * transaction sends nothing itself.
 */
export class Transaction {
  readonly transfer: Transfer;
  /** MAIL, RCPT and DATA. Empty if the commands cannot be written, or the host does not support the message. */
  readonly commands: readonly string[];
  readonly #session: HostSession;
  readonly #role: HostRole;
  /** The outcome. Null while the host may still accept the message. */
  #outcome: Outcome | null = null;
  #replies = 0;

  constructor(transfer: Transfer, session: HostSession, role: HostRole) {
    this.transfer = transfer;
    this.#session = session;
    this.#role = role;
    this.commands = this.#compose(transfer.message, session.capabilities);
    transfer.begunAtMs = performance.now();
  }

  /** Whether the host may still accept the message. */
  get isUndecided(): boolean {
    return this.#outcome === null;
  }

  /** The command whose reply is expected next. */
  get next(): (typeof STEPS)[number] {
    return STEPS[this.#replies] ?? 'data';
  }

  /** The command line of `next`. */
  get nextCommand(): string {
    return this.commands[this.#replies] ?? '';
  }

  /** Records in the transcript whether the connection is new or reused. */
  introduce(isFirst: boolean): void {
    const { transcript, openedAtMs } = this.#session;
    const ageSeconds = Math.round((performance.now() - openedAtMs) / 1_000);
    if (isFirst) this.transfer.transcript.append(transcript);
    else this.transfer.transcript.note(`connection reused, opened ${ageSeconds} s ago`);
  }

  /** Records the commands and joins them into a single write. */
  recordCommands(commands: readonly string[]): string {
    this.transfer.transcript.client(commands);
    return commands.join('');
  }

  /** Handles the reply to MAIL or RCPT. */
  takeReply(reply: SmtpReply): void {
    const step = this.next;
    this.#replies += 1;
    if (reply.code >= 300) this.#outcome ??= this.#refusal(reply, step);
  }

  /** Handles the reply to the message as a whole: a reply to DATA other than 354, or the reply to the final dot. */
  conclude(reply: SmtpReply, step: 'data' | 'dot'): void {
    if (reply.code < 300) {
      const { messageId } = this.transfer.message;
      const reportsSuccessItself = this.#dsn !== null;
      this.settle({
        outcome: 'accepted',
        reply: this.#reply(replyFieldsOf(reply)),
        providerMessageId: messageId,
        ...(reportsSuccessItself && { reportsSuccessItself }),
      });
    } else {
      this.settle(this.#refusal(reply, step));
    }
  }

  /** Called when the connection ended before the final dot. */
  breakOff(reply: ReplyFields): void {
    this.settle({ outcome: 'transient', reply: this.#reply(reply), scope: scopeAt(this.next) });
  }

  /** Called when the connection ended after the final dot, without a reply to the dot. */
  loseTrack(why: string): void {
    const text = doubtful('the message was accepted', `after its end, ${why}`);
    this.settle({ outcome: 'transient', reply: this.#reply(localReply(text)), scope: 'message' });
  }

  /** Ends the transaction with its earlier rejection, if there was one. Otherwise with `outcome`. */
  settle(outcome: Outcome | null = null): void {
    const end = this.#outcome ?? outcome;
    if (end !== null) this.transfer.settle(end);
  }

  /** The delivery reports to request from the host. Null if the host does not support DSN (RFC 3461, section 5.2.2). */
  get #dsn(): DsnRequest | null {
    return this.#session.capabilities.dsn ? (this.transfer.message.dsn ?? null) : null;
  }

  #compose(message: OutboundMessage, capabilities: Capabilities): string[] {
    const needsSmtpUtf8 = message.smtputf8 || !isAscii(Buffer.from(message.rcptTo));
    if (needsSmtpUtf8 && !capabilities.smtpUtf8) {
      const text = `${this.#session.remoteMta} does not support non-ASCII addresses (SMTPUTF8)`;
      return this.#refuse('5.6.7', text);
    }
    const isEightBit = !isAscii(message.data);
    // A server with SMTPUTF8 accepts 8-bit content (RFC 6531, section 3.1). A forwarded message is sent as it is, because converting it
    // would break the signature of its author, and servers without the keyword usually accept the octets.
    const mustConvert = isEightBit && !needsSmtpUtf8 && message.isForwarded !== true;
    if (mustConvert && !capabilities.eightBitMime) {
      const text = `${this.#session.remoteMta} accepts only ASCII (it lacks 8BITMIME), and the message cannot be converted, because a part is signed or malformed`;
      return this.#refuse('5.6.3', text, { needsSevenBit: true });
    }
    const dsn = this.#dsn;
    const mail = mailCommand(message.mailFrom, {
      size: capabilities.size === null ? null : message.data.length,
      eightBitMime: capabilities.eightBitMime && isEightBit,
      smtpUtf8: needsSmtpUtf8,
      dsn,
    });
    if (mail === null)
      return this.#refuse('5.1.7', 'The sender address cannot be written in an SMTP command');
    const rcpt = rcptCommand(message.rcptTo, needsSmtpUtf8, dsn);
    if (rcpt === null)
      return this.#refuse('5.1.3', 'The recipient address cannot be written in an SMTP command');
    return [mail, rcpt, 'DATA\r\n'];
  }

  /** Rejects the message without sending any command. */
  #refuse(enhancedCode: string, text: string, fields: { needsSevenBit?: true } = {}): [] {
    this.#outcome = { outcome: 'permanent', reply: this.#reply(localReply(text, enhancedCode)), ...fields };
    return [];
  }

  /** The outcome if the reply code for the recipient is 400 or above. 5yz is permanent (RFC 5321, section 4.2.1). */
  #refusal({ code, lines }: SmtpReply, step: SmtpStep): Outcome {
    const reply = this.#reply(replyFieldsOf({ code, lines }));
    // 530: the host requires TLS (RFC 3207, section 4) or a login (RFC 4954, section 6). For a smart host, the operator can fix the
    // configuration. For any other destination, we have no login, but TLS that failed this time may work at the next attempt.
    if (code === 530 && (this.#role === 'smart-host' || !this.#session.tls))
      return { outcome: 'transient', reply, scope: 'host' };
    if (code >= 500 && !isOldTooManyRecipients(reply, step)) return { outcome: 'permanent', reply, step };
    // Any other code at MAIL may concern only this message: its size, or its return path.
    return { outcome: 'transient', reply, scope: code === 421 ? scopeAt(step) : 'message' };
  }

  #reply(said: ReplyFields): AttemptReply {
    return new SmtpAttemptReply(said, this.#session, this.transfer.transcript);
  }
}

/**
 * The scope of an outcome if the server closed the connection at this step. At MAIL, the server has received only the sender of the
 * message. Later, the recipient or the content may be the reason.
 */
function scopeAt(step: SmtpStep): 'message' | 'sender' {
  return step === 'mail' ? 'sender' : 'message';
}

/** Whether the reply means "too many recipients": older servers reply 552 where 452 is correct (RFC 5321, section 4.5.3.1.10). */
function isOldTooManyRecipients({ replyCode, enhancedCode, text }: AttemptReply, step: SmtpStep): boolean {
  if (replyCode !== 552 || step !== 'rcpt') return false;
  return enhancedCode === '5.5.3' || /too many recipients/i.test(text);
}
