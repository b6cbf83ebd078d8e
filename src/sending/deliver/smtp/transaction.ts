import { isAscii } from 'node:buffer';
import type { Capabilities } from '../../../rfc/smtp/capabilities.ts';
import { mailCommand, rcptCommand } from '../../../rfc/smtp/commands.ts';
import type { SmtpReply } from '../../../rfc/smtp/reply.ts';
import type { AttemptReply, OutboundMessage, Outcome, SmtpStep } from '../provider.ts';
import { attemptReply, ownWords, type Said, saidIn } from './attempt-reply.ts';
import type { Job } from './job.ts';
import { type HostRole, refusal, scopeAt } from './refusal.ts';
import type { Session } from './session.ts';

/**
 * One mail transaction (RFC 5321, section 3.3): the commands to send for a message, and what their replies
 * mean for each recipient. It sends nothing itself.
 */
export class Transaction {
  readonly job: Job;
  /** MAIL, RCPT for each recipient that can be asked for, DATA. Empty: there is nothing to ask for. */
  readonly commands: readonly string[];
  readonly #session: Session;
  readonly #role: HostRole;
  readonly #outcomes: (Outcome | null)[];
  /** For each RCPT, in order, its recipient. */
  readonly #asked: number[] = [];
  #replies = 0;

  constructor(job: Job, session: Session, role: HostRole) {
    this.job = job;
    this.#session = session;
    this.#role = role;
    this.#outcomes = job.message.rcptTo.map(() => null);
    this.commands = this.#compose(job.message, session.capabilities);
    job.begunAtMs = performance.now();
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

  /** Writes down how the message came to the connection. */
  introduce(isFirst: boolean): void {
    const { transcript, openedAtMs } = this.#session;
    const ageSeconds = Math.round((performance.now() - openedAtMs) / 1_000);
    if (isFirst) this.job.transcript.append(transcript);
    else this.job.transcript.note(`connection reused, opened ${ageSeconds} s ago`);
  }

  /** The commands as one text, for a single write. */
  say(commands: readonly string[]): string {
    this.job.transcript.client(commands);
    return commands.join('');
  }

  /** Takes the reply to MAIL or RCPT. */
  takeReply(reply: SmtpReply): void {
    const recipient = this.#asked[this.#replies - 1];
    const step = this.next;
    this.#replies += 1;
    if (reply.code < 300) return;
    if (recipient === undefined) this.#fill(this.#refusal(reply, step));
    else this.#outcomes[recipient] ??= this.#refusal(reply, step);
  }

  /** The host's word on the message as a whole: the reply to DATA where it is not 354, or to the final dot. */
  conclude(reply: SmtpReply, step: 'data' | 'dot'): void {
    if (reply.code < 300) {
      const { messageId } = this.job.message;
      this.settle({ outcome: 'accepted', reply: this.#reply(saidIn(reply)), providerMessageId: messageId });
    } else {
      this.settle(this.#refusal(reply, step));
    }
  }

  /** The connection ended before the dot. */
  breakOff(said: Said): void {
    this.settle({
      outcome: 'transient',
      reply: this.#reply(said),
      scope: scopeAt(this.#role, this.next),
    });
  }

  /** The connection ended after the dot, without a reply to it. */
  loseTrack(why: string): void {
    const text = `It is not known whether the message was taken: after its end, ${why}`;
    this.settle({ outcome: 'transient', reply: this.#reply(ownWords(text)), scope: 'message' });
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
      const noSmtpUtf8 = `${this.#session.remoteMta} does not take addresses beyond ASCII (SMTPUTF8)`;
      for (const [index, unicode] of isUnicode.entries()) {
        if (message.smtputf8 || unicode) this.#outcomes[index] = this.#ownRefusal('5.6.7', noSmtpUtf8);
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
      this.#fill(this.#ownRefusal('5.1.7', 'The sender address cannot be written in an SMTP command'));
      return [];
    }
    const commands = [mail];
    for (const [index, rcptTo] of message.rcptTo.entries()) {
      if (this.#outcomes[index] !== null) continue;
      const rcpt = rcptCommand(rcptTo, smtputf8);
      if (rcpt === null) {
        this.#outcomes[index] = this.#ownRefusal(
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

  #ownRefusal(enhancedCode: string, text: string): Outcome {
    return { outcome: 'permanent', reply: this.#reply(ownWords(text, enhancedCode)) };
  }

  #refusal(reply: SmtpReply, step: SmtpStep): Outcome {
    const { transcript } = this.job;
    return refusal(reply, { role: this.#role, step, peer: this.#session, transcript });
  }

  #reply(said: Said): AttemptReply {
    return attemptReply(said, this.#session, this.job.transcript);
  }

  #fill(outcome: Outcome): void {
    for (let index = 0; index < this.#outcomes.length; index += 1) this.#outcomes[index] ??= outcome;
  }
}
