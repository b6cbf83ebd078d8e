import { isAscii } from 'node:buffer';
import type { Capabilities } from '../../../rfc/smtp/capabilities.ts';
import { mailCommand, rcptCommand } from '../../../rfc/smtp/commands.ts';
import type { SmtpReply } from '../../../rfc/smtp/reply.ts';
import type { OutboundMessage, Outcome } from '../provider.ts';
import { fromReply, ownWords, type Peer, refusal } from './attempt-reply.ts';

const NO_SMTPUTF8 = 'The smart host does not take addresses beyond ASCII (SMTPUTF8)';

/** A message on its way through the relay. */
export interface Job {
  readonly message: OutboundMessage;
  /** It was on a connection before, which ended without the content being handed over. */
  retried: boolean;
  /** Called once. */
  settle(outcomes: Outcome[]): void;
}

/**
 * One mail transaction (RFC 5321, section 3.3): the commands to send for a message, and what their replies
 * mean for each recipient. It sends nothing itself.
 */
export class Transaction {
  readonly job: Job;
  /** MAIL, RCPT for each recipient that can be asked for, DATA. Empty: there is nothing to ask for. */
  readonly commands: readonly string[];
  readonly #peer: Peer;
  readonly #outcomes: (Outcome | null)[];
  /** For each RCPT, in order, its recipient. */
  readonly #asked: number[] = [];
  #replies = 0;

  constructor(job: Job, capabilities: Capabilities, peer: Peer) {
    this.job = job;
    this.#peer = peer;
    this.#outcomes = job.message.rcptTo.map(() => null);
    this.commands = this.#compose(job.message, capabilities);
  }

  /** Whether there is still a recipient for which the message would be taken. */
  get isWanted(): boolean {
    return this.#outcomes.includes(null);
  }

  /** The command whose reply is next. */
  get next(): 'mail' | 'rcpt' | 'data' {
    if (this.#replies === 0) return 'mail';
    return this.#replies === this.commands.length - 1 ? 'data' : 'rcpt';
  }

  /** The line of `next`. */
  get nextCommand(): string {
    return this.commands[this.#replies] ?? '';
  }

  /** Takes the reply to MAIL or RCPT. */
  takeReply(reply: SmtpReply): void {
    const recipient = this.#asked[this.#replies - 1];
    this.#replies += 1;
    if (reply.code < 300) return;
    if (recipient === undefined) this.#fill(refusal(reply, this.#peer));
    else this.#outcomes[recipient] ??= refusal(reply, this.#peer);
  }

  /** The host's word on the message as a whole: the reply to DATA where it is not 354, or to the final dot. */
  conclude(reply: SmtpReply): void {
    this.settle(
      reply.code < 300
        ? {
            outcome: 'accepted',
            reply: fromReply(reply, this.#peer),
            providerMessageId: this.job.message.messageId,
          }
        : refusal(reply, this.#peer),
    );
  }

  /** Ends the transaction, with `outcome` for the recipients that have none of their own. */
  settle(outcome: Outcome): void {
    this.#fill(outcome);
    this.finish();
  }

  /** Ends a transaction that is not wanted: every recipient has an outcome. */
  finish(): void {
    this.job.settle(this.#outcomes.filter((outcome) => outcome !== null));
  }

  /** Ends the transaction without a trace. */
  abandon(): void {
    this.job.settle(this.#outcomes.map(() => ({ outcome: 'abandoned' })));
  }

  #compose(message: OutboundMessage, capabilities: Capabilities): string[] {
    const isUnicode = message.rcptTo.map((rcptTo) => !isAscii(Buffer.from(rcptTo)));
    if (!capabilities.smtpUtf8) {
      for (const [index, unicode] of isUnicode.entries()) {
        if (message.smtputf8 || unicode) this.#outcomes[index] = this.#refusal('5.6.7', NO_SMTPUTF8);
      }
    }
    const smtputf8 = capabilities.smtpUtf8 && (message.smtputf8 || isUnicode.includes(true));
    const mail = mailCommand(message.mailFrom, {
      size: capabilities.size === null ? null : message.data.length,
      // Where 8BITMIME is not offered the octets go as they are: every server in use passes them on.
      eightBitMime: capabilities.eightBitMime && !isAscii(message.data),
      smtpUtf8: smtputf8,
    });
    if (mail === null) {
      this.#fill(this.#refusal('5.1.7', 'The sender address cannot be written in an SMTP command'));
      return [];
    }
    const commands = [mail];
    for (const [index, rcptTo] of message.rcptTo.entries()) {
      if (this.#outcomes[index] !== null) continue;
      const rcpt = rcptCommand(rcptTo, smtputf8);
      if (rcpt === null) {
        this.#outcomes[index] = this.#refusal(
          '5.1.3',
          'The recipient address cannot be written in an SMTP command',
        );
        continue;
      }
      this.#asked.push(index);
      commands.push(rcpt);
    }
    commands.push('DATA\r\n');
    return this.#asked.length === 0 ? [] : commands;
  }

  #refusal(enhancedCode: string, text: string): Outcome {
    return { outcome: 'permanent', reply: ownWords(text, this.#peer, enhancedCode) };
  }

  #fill(outcome: Outcome): void {
    for (let index = 0; index < this.#outcomes.length; index += 1) this.#outcomes[index] ??= outcome;
  }
}
