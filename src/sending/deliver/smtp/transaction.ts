import { isAscii } from 'node:buffer';
import type { Capabilities } from '../../../rfc/smtp/capabilities.ts';
import { mailCommand, rcptCommand } from '../../../rfc/smtp/commands.ts';
import type { DsnRequest } from '../../../rfc/smtp/dsn-parameters.ts';
import type { SmtpReply } from '../../../rfc/smtp/reply.ts';
import type { AttemptReply, OutboundMessage, Outcome, SmtpStep } from '../provider.ts';
import { ownWords, type Said, saidIn, SmtpAttemptReply } from './attempt-reply.ts';
import type { HostSession } from './host-session.ts';
import { Transcript } from './transcript.ts';

/** `smart-host`: the operator chose it, and it takes mail for everybody. `destination`: it takes mail for its own users. */
export type HostRole = 'smart-host' | 'destination';

/** A message on its way over SMTP, over as many connections as that takes. */
export interface Transfer {
  readonly message: OutboundMessage;
  /** What was said on all its connections. */
  readonly transcript: Transcript;
  /** It was on a connection before, which ended without the content being handed over. */
  retried: boolean;
  /** When its transaction began; null while it waits for a connection. */
  begunAtMs: number | null;
  /** Called once. */
  settle(outcome: Outcome): void;
}

export function newTransfer(message: OutboundMessage, settle: Transfer['settle']): Transfer {
  return { message, transcript: new Transcript(), retried: false, begunAtMs: null, settle };
}

const STEPS = ['mail', 'rcpt', 'data'] as const;

/**
 * One mail transaction (RFC 5321, section 3.3): the commands to send for a message, and what their replies
 * mean for it. It sends nothing itself.
 */
export class Transaction {
  readonly transfer: Transfer;
  /** MAIL, RCPT, DATA. Empty: they cannot be written, or the host could not take the message. */
  readonly commands: readonly string[];
  readonly #session: HostSession;
  readonly #role: HostRole;
  /** Null while the host may still take the message. */
  #outcome: Outcome | null = null;
  #replies = 0;

  constructor(transfer: Transfer, session: HostSession, role: HostRole) {
    this.transfer = transfer;
    this.#session = session;
    this.#role = role;
    this.commands = this.#compose(transfer.message, session.capabilities);
    transfer.begunAtMs = performance.now();
  }

  /** Whether the host may still take the message. */
  get isWanted(): boolean {
    return this.#outcome === null;
  }

  /** The command whose reply is next. */
  get next(): (typeof STEPS)[number] {
    return STEPS[this.#replies] ?? 'data';
  }

  /** The line of `next`. */
  get nextCommand(): string {
    return this.commands[this.#replies] ?? '';
  }

  /** Writes down how the message came to the connection. */
  introduce(isFirst: boolean): void {
    const { transcript, openedAtMs } = this.#session;
    const ageSeconds = Math.round((performance.now() - openedAtMs) / 1_000);
    if (isFirst) this.transfer.transcript.append(transcript);
    else this.transfer.transcript.note(`connection reused, opened ${ageSeconds} s ago`);
  }

  /** The commands as one text, for a single write. */
  say(commands: readonly string[]): string {
    this.transfer.transcript.client(commands);
    return commands.join('');
  }

  /** Takes the reply to MAIL or RCPT. */
  takeReply(reply: SmtpReply): void {
    const step = this.next;
    this.#replies += 1;
    if (reply.code >= 300) this.#outcome ??= this.#refusal(reply, step);
  }

  /** The host's word on the message as a whole: the reply to DATA where it is not 354, or to the final dot. */
  conclude(reply: SmtpReply, step: 'data' | 'dot'): void {
    if (reply.code < 300) {
      const { messageId } = this.transfer.message;
      const isPassedOn = this.#dsn !== null;
      this.settle({
        outcome: 'accepted',
        reply: this.#reply(saidIn(reply)),
        providerMessageId: messageId,
        ...(isPassedOn && { isPassedOn }),
      });
    } else {
      this.settle(this.#refusal(reply, step));
    }
  }

  /** The connection ended before the dot. */
  breakOff(said: Said): void {
    this.settle({ outcome: 'transient', reply: this.#reply(said), scope: scopeAt(this.next) });
  }

  /** The connection ended after the dot, without a reply to it. */
  loseTrack(why: string): void {
    const text = `It is not known whether the message was taken: after its end, ${why}`;
    this.settle({ outcome: 'transient', reply: this.#reply(ownWords(text)), scope: 'message' });
  }

  /** Ends the transaction: as it was refused before, else with `outcome`. */
  settle(outcome: Outcome | null = null): void {
    const end = this.#outcome ?? outcome;
    if (end !== null) this.transfer.settle(end);
  }

  /** What the host is told of what the sender wants to hear: nothing where it does not know of that (RFC 3461, section 5.2.2). */
  get #dsn(): DsnRequest | null {
    return this.#session.capabilities.dsn ? (this.transfer.message.dsn ?? null) : null;
  }

  #compose(message: OutboundMessage, capabilities: Capabilities): string[] {
    const needsSmtpUtf8 = message.smtputf8 || !isAscii(Buffer.from(message.rcptTo));
    if (needsSmtpUtf8 && !capabilities.smtpUtf8) {
      const text = `${this.#session.remoteMta} does not take addresses beyond ASCII (SMTPUTF8)`;
      return this.#refuse('5.6.7', text);
    }
    const dsn = this.#dsn;
    const mail = mailCommand(message.mailFrom, {
      size: capabilities.size === null ? null : message.data.length,
      // Without 8BITMIME the octets are sent as they are: every server in use passes them on.
      eightBitMime: capabilities.eightBitMime && !isAscii(message.data),
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

  /** For a message that is not even asked for. */
  #refuse(enhancedCode: string, text: string): [] {
    this.#outcome = { outcome: 'permanent', reply: this.#reply(ownWords(text, enhancedCode)) };
    return [];
  }

  /** What a reply of 400 and above means for the recipient (RFC 5321, section 4.2.1): 5yz is for good. */
  #refusal({ code, lines }: SmtpReply, step: SmtpStep): Outcome {
    const reply = this.#reply(saidIn({ code, lines }));
    // RFC 3207, section 4 and RFC 4954, section 6: the host wants TLS or a login first. At a smart host the operator can
    // mend that. A destination has no login for us, but TLS that failed this time may work the next time.
    if (code === 530 && (this.#role === 'smart-host' || !this.#session.tls))
      return { outcome: 'transient', reply, scope: 'host' };
    if (code >= 500 && !isOldTooManyRecipients(reply, step)) return { outcome: 'permanent', reply, step };
    // Any other code at MAIL may be about this one message: its size, or its return path.
    return { outcome: 'transient', reply, scope: code === 421 ? scopeAt(step) : 'message' };
  }

  #reply(said: Said): AttemptReply {
    return new SmtpAttemptReply(said, this.#session, this.transfer.transcript);
  }
}

/**
 * What it concerns that a server hangs up. One that does so at MAIL has seen nothing of the message but its sender; after that it
 * may be about the recipient or the content.
 */
function scopeAt(step: SmtpStep): 'message' | 'sender' {
  return step === 'mail' ? 'sender' : 'message';
}

/** RFC 5321, section 4.5.3.1.10: servers older than that say 552 for what should be 452. */
function isOldTooManyRecipients({ replyCode, enhancedCode, text }: AttemptReply, step: SmtpStep): boolean {
  if (replyCode !== 552 || step !== 'rcpt') return false;
  return enhancedCode === '5.5.3' || /too many recipients/i.test(text);
}
