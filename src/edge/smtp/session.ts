/**
 * The state of an SMTP session (RFC 5321, section 4.1.4), without its wire:
 *
 *   connected --EHLO--> greeted --MAIL--> sender --RCPT--> recipients --DATA--> content --dot--> greeted
 *
 * RSET, and EHLO again, go back to greeted; after STARTTLS all is forgotten (RFC 3207, section 4.2).
 */
import { parseCommand, type SmtpCommand } from '../../rfc/smtp/parse-command.ts';
import { ehloReply, MAX_MESSAGE_OCTETS, REPLIES } from './replies.ts';

const MAX_RECIPIENTS = 50;
/** A proper sender makes hardly any; one that guesses addresses makes one after the other. */
const MAX_ERRORS = 10;
const MAX_COMMANDS = 1_000;

export interface Step {
  /** Without its last CRLF. */
  reply: string;
  /** What comes after the reply; absent: the next command. */
  next?: 'close' | 'content' | 'starttls';
}

/** The sender and the recipients of a message. */
export interface Envelope<Addressee> {
  reversePath: Paths['reversePath'];
  addressees: Addressee[];
}

/** As MAIL and RCPT gave them, without brackets. */
export interface Paths {
  /** Empty for reports. Any client can write anything there. */
  reversePath: string;
  forwardPath: string;
}

export interface SessionOptions<Addressee> {
  hostname: string;
  offersTls: boolean;
  /** Resolves to null when the address is not served here. A rejection is answered with 451, and is not logged here. */
  addresseeOf(paths: Paths): Promise<Addressee | null>;
}

export class ServerSession<Addressee> {
  readonly #options: SessionOptions<Addressee>;
  #secured = false;
  #greeted = false;
  /** Null before MAIL. */
  #envelope: Envelope<Addressee> | null = null;
  #errors = 0;
  #commands = 0;

  constructor(options: SessionOptions<Addressee>) {
    this.#options = options;
  }

  /** One at a time. @param line without its CRLF @param isLast whether nothing has been sent after it yet */
  async command(line: string, isLast: boolean): Promise<Step> {
    this.#commands += 1;
    if (this.#commands > MAX_COMMANDS) return { reply: REPLIES.tooManyCommands, next: 'close' };
    const command = parseCommand(line);
    const step = 'fault' in command ? { reply: REPLIES[command.fault] } : await this.#obey(command, isLast);
    if (!step.reply.startsWith('5')) return step;
    this.#errors += 1;
    return this.#errors > MAX_ERRORS ? { reply: REPLIES.tooManyErrors, next: 'close' } : step;
  }

  /** Ends the transaction whose content was read since `next: 'content'`. */
  takeEnvelope(): Envelope<Addressee> {
    const envelope = this.#envelope;
    if (envelope === null) throw new Error('DATA was not answered with 354');
    this.#envelope = null;
    return envelope;
  }

  /** TLS is on. What was said in the clear is forgotten: anybody on the way may have said it. */
  secured(): void {
    this.#secured = true;
    this.#greeted = false;
    this.#envelope = null;
  }

  async #obey(command: SmtpCommand, isLast: boolean): Promise<Step> {
    const { hostname } = this.#options;
    switch (command.verb) {
      case 'EHLO':
      case 'HELO':
        this.#greeted = true;
        this.#envelope = null;
        return {
          reply: command.verb === 'EHLO' ? ehloReply(hostname, this.#offersTls) : `250 ${hostname}`,
        };
      case 'MAIL':
        return { reply: this.#mail(command.reversePath, command.size) };
      case 'RCPT':
        return { reply: await this.#rcpt(command.forwardPath) };
      case 'DATA':
        return this.#data(isLast);
      case 'STARTTLS':
        if (this.#secured) return { reply: REPLIES.tlsAlready };
        if (!this.#offersTls) return { reply: REPLIES.noTls };
        return { reply: REPLIES.startTls, next: 'starttls' };
      case 'RSET':
        this.#envelope = null;
        return { reply: REPLIES.ok };
      case 'QUIT':
        return { reply: REPLIES.bye, next: 'close' };
      case 'NOOP':
        return { reply: REPLIES.ok };
      case 'VRFY':
        return { reply: REPLIES.vrfy };
      case 'EXPN':
        return { reply: REPLIES.expn };
      case 'HELP':
        return { reply: REPLIES.help };
    }
  }

  get #offersTls(): boolean {
    return this.#options.offersTls && !this.#secured;
  }

  /** Any sender may report a bounce: the address that the report is sent to proves it. */
  #mail(reversePath: string, size: number | null): string {
    if (!this.#greeted) return REPLIES.greetFirst;
    if (this.#envelope !== null) return REPLIES.senderAlready;
    if (size !== null && size > MAX_MESSAGE_OCTETS) return REPLIES.tooLarge;
    this.#envelope = { reversePath, addressees: [] };
    return REPLIES.senderOk;
  }

  async #rcpt(forwardPath: string): Promise<string> {
    if (this.#envelope === null) return this.#greeted ? REPLIES.mailFirst : REPLIES.greetFirst;
    const { reversePath, addressees } = this.#envelope;
    if (addressees.length === MAX_RECIPIENTS) return REPLIES.tooManyRecipients;
    try {
      const addressee = await this.#options.addresseeOf({ reversePath, forwardPath });
      if (addressee === null) return REPLIES.noSuchRecipient;
      addressees.push(addressee);
      return REPLIES.recipientOk;
    } catch {
      return REPLIES.tryAgain;
    }
  }

  #data(isLast: boolean): Step {
    if (this.#envelope === null) return { reply: this.#greeted ? REPLIES.mailFirst : REPLIES.greetFirst };
    if (this.#envelope.addressees.length === 0) return { reply: REPLIES.rcptFirst };
    // Content that was sent too early would have been read as commands, had DATA been refused.
    if (!isLast) return { reply: REPLIES.pipelinedData, next: 'close' };
    return { reply: REPLIES.data, next: 'content' };
  }
}
