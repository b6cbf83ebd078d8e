/**
 * The state of an SMTP session (RFC 5321, section 4.1.4), without its wire:
 *
 *   connected --EHLO--> greeted --MAIL--> sender --RCPT--> recipients --DATA--> content --dot--> greeted
 *
 * RSET, and EHLO again, go back to greeted; after STARTTLS all is forgotten (RFC 3207, section 4.2).
 */
import { parseCommand, type SmtpCommand } from '../../rfc/smtp/parse-command.ts';
import { ehloReply, heloReply, MAX_MESSAGE_OCTETS, REPLIES } from './replies.ts';

const MAX_RECIPIENTS = 50;
/** A sender that works makes none; one that guesses addresses makes nothing else. */
const MAX_ERRORS = 10;
const MAX_COMMANDS = 1_000;

export interface Step {
  /** Without its last CRLF. */
  reply: string;
  /** What comes after the reply; absent: the next command. */
  next?: 'close' | 'content' | 'starttls';
}

export interface SessionOptions<Addressee> {
  hostname: string;
  offersTls: boolean;
  /** Null: nobody here has that address. */
  addresseeOf(forwardPath: string): Addressee | null;
}

export class Session<Addressee> {
  readonly #options: SessionOptions<Addressee>;
  #secured = false;
  #greeted = false;
  #hasSender = false;
  #addressees: Addressee[] = [];
  #errors = 0;
  #commands = 0;

  constructor(options: SessionOptions<Addressee>) {
    this.#options = options;
  }

  /** @param line without its CRLF @param isLast nothing was sent after it yet */
  command(line: string, isLast: boolean): Step {
    this.#commands += 1;
    if (this.#commands > MAX_COMMANDS) return { reply: REPLIES.tooManyCommands, next: 'close' };
    const command = parseCommand(line);
    const step = 'fault' in command ? { reply: REPLIES[command.fault] } : this.#obey(command, isLast);
    if (!step.reply.startsWith('5')) return step;
    this.#errors += 1;
    return this.#errors > MAX_ERRORS ? { reply: REPLIES.tooManyErrors, next: 'close' } : step;
  }

  /** Ends the transaction. @returns for whom the content is that was read since `next: 'content'` */
  takeAddressees(): Addressee[] {
    const addressees = this.#addressees;
    this.#reset();
    return addressees;
  }

  /** TLS is on: what was said in the clear may have been said by anybody. */
  secured(): void {
    this.#secured = true;
    this.#greeted = false;
    this.#reset();
  }

  #obey(command: SmtpCommand, isLast: boolean): Step {
    const { hostname } = this.#options;
    switch (command.verb) {
      case 'EHLO':
      case 'HELO':
        this.#greeted = true;
        this.#reset();
        return {
          reply: command.verb === 'EHLO' ? ehloReply(hostname, this.#offersTls) : heloReply(hostname),
        };
      case 'MAIL':
        return { reply: this.#mail(command.size) };
      case 'RCPT':
        return { reply: this.#rcpt(command.forwardPath) };
      case 'DATA':
        return this.#data(isLast);
      case 'STARTTLS':
        if (this.#secured) return { reply: REPLIES.tlsAlready };
        if (!this.#offersTls) return { reply: REPLIES.noTls };
        return { reply: REPLIES.startTls, next: 'starttls' };
      case 'RSET':
        this.#reset();
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

  /** Any sender may tell of a bounce: the address that it comes to is what proves it. */
  #mail(size: number | null): string {
    if (!this.#greeted) return REPLIES.greetFirst;
    if (this.#hasSender) return REPLIES.senderAlready;
    if (size !== null && size > MAX_MESSAGE_OCTETS) return REPLIES.tooLarge;
    this.#hasSender = true;
    return REPLIES.senderOk;
  }

  #rcpt(forwardPath: string): string {
    if (!this.#hasSender) return this.#greeted ? REPLIES.mailFirst : REPLIES.greetFirst;
    if (this.#addressees.length === MAX_RECIPIENTS) return REPLIES.tooManyRecipients;
    const addressee = this.#options.addresseeOf(forwardPath);
    if (addressee === null) return REPLIES.noSuchRecipient;
    this.#addressees.push(addressee);
    return REPLIES.recipientOk;
  }

  #data(isLast: boolean): Step {
    if (!this.#hasSender) return { reply: this.#greeted ? REPLIES.mailFirst : REPLIES.greetFirst };
    if (this.#addressees.length === 0) return { reply: REPLIES.rcptFirst };
    // Content that was sent before it was asked for would be commands had the answer been no.
    if (!isLast) return { reply: REPLIES.pipelinedData, next: 'close' };
    return { reply: REPLIES.data, next: 'content' };
  }

  #reset(): void {
    this.#hasSender = false;
    this.#addressees = [];
  }
}
