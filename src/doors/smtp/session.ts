/**
 * The state of an SMTP session (RFC 5321, section 4.1.4), without its wire:
 *
 *   connected --EHLO--> greeted --MAIL--> sender --RCPT--> recipients --DATA--> content --dot--> greeted
 *                                                              `--BDAT--> chunks --BDAT LAST--> greeted
 *
 * RSET, and EHLO again, go back to greeted; after STARTTLS all is forgotten (RFC 3207, section 4.2).
 */
import type { SaslExchange } from '../../rfc/sasl/mechanisms.ts';
import { parseCommand, type SmtpCommand } from '../../rfc/smtp/parse-command.ts';
import type { Envelope, PolicyReply, SmtpPolicy } from './policy.ts';
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

export type SessionStep =
  /** `reply` is without its last CRLF; `next` is what comes after it; absent: the next command. */
  { reply: PolicyReply; next?: 'close' | 'content' | 'starttls' } | ChunkStep | AuthStep;

/** So many octets come next. `refusal`: they are dropped, and this is the answer. */
export interface ChunkStep {
  next: 'chunk';
  octets: number;
  isLast: boolean;
  refusal: PolicyReply | null;
}

/** The client signs in next. */
export interface AuthStep {
  next: 'auth';
  exchange: SaslExchange;
  /** In base64; null: none came with the command. */
  initialResponse: string | null;
}

export interface ServerSessionOptions<Addressee> {
  hostname: string;
  /** Where TLS is not on yet. */
  offersTls: boolean;
  /** TLS is on from the first byte. */
  isSecured: boolean;
  /** Mistakes do not end the connection. Default: false. */
  forgivesErrors?: boolean;
  policy: SmtpPolicy<Addressee>;
}

export class ServerSession<Addressee> {
  readonly #options: ServerSessionOptions<Addressee>;
  #secured: boolean;
  /** Null before EHLO. */
  #client: Pick<Envelope<Addressee>, 'helo' | 'isExtended'> | null = null;
  /** Null before MAIL. */
  #envelope: Envelope<Addressee> | null = null;
  #size: number | null = null;
  #isChunking = false;
  #errors = 0;
  #commands = 0;

  constructor(options: ServerSessionOptions<Addressee>) {
    this.#options = options;
    this.#secured = options.isSecured;
  }

  /** One at a time. @param line without its CRLF @param isLast whether nothing has been sent after it yet */
  async command(line: string, isLast: boolean): Promise<SessionStep> {
    this.#commands += 1;
    if (this.#commands > MAX_COMMANDS) return { reply: REPLIES.tooManyCommands, next: 'close' };
    const command = parseCommand(line);
    const step = 'fault' in command ? { reply: REPLIES[command.fault] } : await this.#obey(command, isLast);
    if (step.next === 'auth') return step;
    const reply = step.next === 'chunk' ? step.refusal : step.reply;
    return reply !== null && this.isTooMuch(reply) ? { reply: REPLIES.tooManyErrors, next: 'close' } : step;
  }

  /** Counts a reply if it is an error, and says whether there were too many. */
  isTooMuch(reply: PolicyReply): boolean {
    if (reply.startsWith('5')) this.#errors += 1;
    return this.#errors > MAX_ERRORS && this.#options.forgivesErrors !== true;
  }

  /** Whether chunks of a message were read, and more may come. */
  get isChunking(): boolean {
    return this.#isChunking;
  }

  /** What MAIL declared (RFC 1870); null: nothing. */
  get size(): number | null {
    return this.#size;
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
    if (this.#options.policy.signsIn) this.#errors = 0;
  }

  /** TLS is on. What was said in the clear is forgotten: anybody on the way may have said it. */
  secured(): void {
    this.#secured = true;
    this.#options.policy.secured();
    this.#client = null;
    this.#reset();
  }

  #reset(): void {
    this.#envelope = null;
    this.#isChunking = false;
  }

  async #obey(command: SmtpCommand, isLast: boolean): Promise<SessionStep> {
    switch (command.verb) {
      case 'EHLO':
      case 'HELO':
        return this.#greet(command);
      case 'MAIL':
        return { reply: await this.#mail(command) };
      case 'RCPT':
        return { reply: await this.#rcpt(command) };
      case 'DATA':
        return this.#data(isLast);
      case 'BDAT':
        return this.#bdat(command);
      case 'AUTH':
        return this.#auth(command);
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
        return { reply: this.#options.policy.help };
    }
  }

  get #offersTls(): boolean {
    return this.#options.offersTls && !this.#secured;
  }

  #greet({ verb, name }: Extract<SmtpCommand, { verb: 'EHLO' | 'HELO' }>): SessionStep {
    const { hostname, policy } = this.#options;
    const isExtended = verb === 'EHLO';
    this.#client = { helo: name, isExtended };
    this.#reset();
    if (!isExtended) return { reply: `250 ${hostname}` };
    return { reply: ehloReply(hostname, [...policy.keywords(), ...(this.#offersTls ? ['STARTTLS'] : [])]) };
  }

  /** RFC 4954, section 4: neither before EHLO nor within a message. */
  #auth({ mechanism, initialResponse }: Extract<SmtpCommand, { verb: 'AUTH' }>): SessionStep {
    if (this.#client?.isExtended !== true) return { reply: REPLIES.greetFirst };
    if (this.#envelope !== null) return { reply: REPLIES.authWithinMail };
    const begun = this.#options.policy.beginAuth(mechanism);
    return typeof begun === 'string' ? { reply: begun } : { next: 'auth', exchange: begun, initialResponse };
  }

  async #mail(command: Extract<SmtpCommand, { verb: 'MAIL' }>): Promise<PolicyReply> {
    const { policy } = this.#options;
    const { reversePath, size, isUtf8, returns, envelopeId, hasAuthor } = command;
    if (this.#client === null) return REPLIES.greetFirst;
    if (this.#envelope !== null) return REPLIES.senderAlready;
    if (!policy.signsIn && (returns !== null || envelopeId !== null || hasAuthor)) return REPLIES.parameter;
    if (size !== null && size > MAX_MESSAGE_OCTETS) return REPLIES.tooLarge;
    if (Buffer.byteLength(reversePath) > MAX_PATH_OCTETS) return REPLIES.senderTooLong;
    const refusal = await policy.refuseSender(reversePath);
    if (refusal !== null) return refusal;
    this.#envelope = { reversePath, isUtf8, returns, envelopeId, recipients: [], ...this.#client };
    this.#size = size;
    return REPLIES.senderOk;
  }

  async #rcpt(command: Extract<SmtpCommand, { verb: 'RCPT' }>): Promise<PolicyReply> {
    const { policy } = this.#options;
    const { forwardPath, notify, originalRecipient } = command;
    if (this.#envelope === null) return this.#missing;
    if (this.#isChunking) return REPLIES.dataAfterChunks;
    const { reversePath, recipients, isUtf8 } = this.#envelope;
    if (!policy.signsIn && (notify !== null || originalRecipient !== null)) return REPLIES.parameter;
    if (!isUtf8 && !ASCII.test(forwardPath)) return REPLIES.needsUtf8;
    if (recipients.length === MAX_RECIPIENTS) return REPLIES.tooManyRecipients;
    const taken = recipients.map(({ addressee }) => addressee);
    const routed = await policy.route({ reversePath, forwardPath, size: this.#size }, taken);
    if ('refusal' in routed) return routed.refusal;
    recipients.push({ forwardPath, notify, originalRecipient, addressee: routed.addressee });
    return REPLIES.recipientOk;
  }

  #data(isLast: boolean): SessionStep {
    if (this.#envelope === null) return { reply: this.#missing };
    if (this.#isChunking) return { reply: REPLIES.dataAfterChunks };
    if (this.#envelope.recipients.length === 0) return { reply: REPLIES.rcptFirst };
    // Content that was sent too early would have been read as commands, had DATA been refused.
    if (!isLast) return { reply: REPLIES.pipelinedData, next: 'close' };
    return { reply: REPLIES.data, next: 'content' };
  }

  /** The octets of a chunk come whatever is answered, so they are read, and never taken for commands. */
  #bdat({ octets, isLast }: Extract<SmtpCommand, { verb: 'BDAT' }>): SessionStep {
    let refusal: PolicyReply | null = null;
    if (this.#envelope === null) refusal = this.#missing;
    else if (this.#envelope.recipients.length === 0) refusal = REPLIES.rcptFirst;
    else this.#isChunking = true;
    return { next: 'chunk', octets, isLast, refusal };
  }

  get #missing(): PolicyReply {
    return this.#client === null ? REPLIES.greetFirst : REPLIES.mailFirst;
  }
}
