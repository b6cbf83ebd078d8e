/**
 * The state of an SMTP session (RFC 5321, section 4.1.4), without its wire:
 *
 *   connected --EHLO--> greeted --MAIL--> sender --RCPT--> recipients --DATA--> content --dot--> greeted
 *                                                              `--BDAT--> chunks --BDAT LAST--> greeted
 *
 * RSET, and EHLO again, go back to greeted; after STARTTLS all is forgotten (RFC 3207, section 4.2).
 */
import { inboundRecipients } from '../../observe/instruments.ts';
import { parseCommand, type SmtpCommand } from '../../rfc/smtp/parse-command.ts';
import { ehloReply, MAX_MESSAGE_OCTETS, REPLIES } from './replies.ts';

/** RFC 5321, section 4.5.3.1.8: no server may take fewer. */
const MAX_RECIPIENTS = 100;
/** A proper sender makes hardly any; one that guesses addresses makes one after the other. */
const MAX_ERRORS = 10;
/** Since the last message that was taken. */
const MAX_COMMANDS = 1_000;
/** RFC 5321, section 4.5.3.1.3 allows 256; a line of our fields holds twice as many. */
const MAX_PATH_OCTETS = 512;
const ASCII = /^[\x20-\x7e]*$/;

export type Step =
  /** `reply` is without its last CRLF; `next` is what comes after it; absent: the next command. */
  { reply: string; next?: 'close' | 'content' | 'starttls' } | ChunkStep;

/** So many octets come next. `refusal`: they are dropped, and this is the answer. */
export interface ChunkStep {
  next: 'chunk';
  octets: number;
  isLast: boolean;
  refusal: string | null;
}

/** The sender and the recipients of a message. */
export interface Envelope<Addressee> {
  reversePath: string;
  /** Addresses and header fields may go beyond ASCII (RFC 6531). */
  isUtf8: boolean;
  /** In the order of RCPT. */
  recipients: { forwardPath: string; addressee: Addressee }[];
  /** What the client calls itself. */
  helo: string;
  /** It said EHLO. */
  isExtended: boolean;
}

/** As MAIL and RCPT gave them, without brackets. */
export interface Paths {
  /** Empty for reports. Any client can write anything there. */
  reversePath: string;
  forwardPath: string;
  /** What MAIL declared, in octets (RFC 1870). */
  size: number | null;
}

/** Why an address gets no mail: the names of replies. */
type RecipientRefusal =
  | 'noSuchRecipient'
  | 'noRelay'
  | 'mailboxFull'
  | 'mailboxFullForLong'
  | 'messageOverQuota';

export type Routed<Addressee> = { addressee: Addressee } | { refusal: RecipientRefusal };

export interface SessionOptions<Addressee> {
  hostname: string;
  offersTls: boolean;
  /** Who gets mail to an address. A rejection is answered with 451, and is not logged here. */
  route(paths: Paths): Promise<Routed<Addressee>>;
}

export class ServerSession<Addressee> {
  readonly #options: SessionOptions<Addressee>;
  #secured = false;
  /** Null before EHLO. */
  #client: Pick<Envelope<Addressee>, 'helo' | 'isExtended'> | null = null;
  /** Null before MAIL. */
  #envelope: Envelope<Addressee> | null = null;
  #size: number | null = null;
  #isChunking = false;
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
    const reply = step.next === 'chunk' ? step.refusal : step.reply;
    if (reply?.startsWith('5') !== true) return step;
    this.#errors += 1;
    return this.#errors > MAX_ERRORS ? { reply: REPLIES.tooManyErrors, next: 'close' } : step;
  }

  /** Whether chunks of a message were read, and more may come. */
  get isChunking(): boolean {
    return this.#isChunking;
  }

  /** Ends the transaction whose content was read since `next: 'content'`, or with the chunk since `next: 'chunk'`. */
  takeEnvelope(): Envelope<Addressee> {
    const envelope = this.#envelope;
    if (envelope === null) throw new Error('no content was asked for');
    this.#reset();
    return envelope;
  }

  /** A message was taken: its client may go on. */
  accepted(): void {
    this.#commands = 0;
  }

  /** TLS is on. What was said in the clear is forgotten: anybody on the way may have said it. */
  secured(): void {
    this.#secured = true;
    this.#client = null;
    this.#reset();
  }

  #reset(): void {
    this.#envelope = null;
    this.#isChunking = false;
  }

  async #obey(command: SmtpCommand, isLast: boolean): Promise<Step> {
    switch (command.verb) {
      case 'EHLO':
      case 'HELO':
        return this.#greet(command);
      case 'MAIL':
        return { reply: this.#mail(command) };
      case 'RCPT':
        return { reply: await this.#rcpt(command.forwardPath) };
      case 'DATA':
        return this.#data(isLast);
      case 'BDAT':
        return this.#bdat(command);
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

  #greet({ verb, name }: Extract<SmtpCommand, { verb: 'EHLO' | 'HELO' }>): Step {
    const { hostname } = this.#options;
    const isExtended = verb === 'EHLO';
    this.#client = { helo: name, isExtended };
    this.#reset();
    return { reply: isExtended ? ehloReply(hostname, this.#offersTls) : `250 ${hostname}` };
  }

  /** Any sender may write, and report a bounce: the address that a report is sent to proves it. */
  #mail({ reversePath, size, isUtf8 }: Extract<SmtpCommand, { verb: 'MAIL' }>): string {
    if (this.#client === null) return REPLIES.greetFirst;
    if (this.#envelope !== null) return REPLIES.senderAlready;
    if (size !== null && size > MAX_MESSAGE_OCTETS) return REPLIES.tooLarge;
    if (Buffer.byteLength(reversePath) > MAX_PATH_OCTETS) return REPLIES.senderTooLong;
    this.#envelope = { reversePath, isUtf8, recipients: [], ...this.#client };
    this.#size = size;
    return REPLIES.senderOk;
  }

  async #rcpt(forwardPath: string): Promise<string> {
    if (this.#envelope === null) return this.#missing;
    if (this.#isChunking) return REPLIES.dataAfterChunks;
    const { reversePath, recipients, isUtf8 } = this.#envelope;
    if (!isUtf8 && !ASCII.test(forwardPath)) return REPLIES.needsUtf8;
    if (recipients.length === MAX_RECIPIENTS) return REPLIES.tooManyRecipients;
    try {
      const routed = await this.#options.route({ reversePath, forwardPath, size: this.#size });
      if ('addressee' in routed) recipients.push({ forwardPath, addressee: routed.addressee });
      const result = 'addressee' in routed ? 'recipientOk' : routed.refusal;
      inboundRecipients.inc({ result: RESULTS[result] });
      return REPLIES[result];
    } catch {
      inboundRecipients.inc({ result: 'try_again' });
      return REPLIES.tryAgain;
    }
  }

  #data(isLast: boolean): Step {
    if (this.#envelope === null) return { reply: this.#missing };
    if (this.#isChunking) return { reply: REPLIES.dataAfterChunks };
    if (this.#envelope.recipients.length === 0) return { reply: REPLIES.rcptFirst };
    // Content that was sent too early would have been read as commands, had DATA been refused.
    if (!isLast) return { reply: REPLIES.pipelinedData, next: 'close' };
    return { reply: REPLIES.data, next: 'content' };
  }

  /** The octets of a chunk come whatever is answered, so they are read, and never taken for commands. */
  #bdat({ octets, isLast }: Extract<SmtpCommand, { verb: 'BDAT' }>): Step {
    let refusal: string | null = null;
    if (this.#envelope === null) refusal = this.#missing;
    else if (this.#envelope.recipients.length === 0) refusal = REPLIES.rcptFirst;
    else this.#isChunking = true;
    return { next: 'chunk', octets, isLast, refusal };
  }

  get #missing(): string {
    return this.#client === null ? REPLIES.greetFirst : REPLIES.mailFirst;
  }
}

/** The names that metrics have for the answers to RCPT. */
const RESULTS = {
  recipientOk: 'taken',
  noSuchRecipient: 'no_such_recipient',
  noRelay: 'no_relay',
  mailboxFull: 'mailbox_full',
  mailboxFullForLong: 'mailbox_full_for_long',
  messageOverQuota: 'message_over_quota',
} as const satisfies Record<RecipientRefusal | 'recipientOk', string>;
