/**
 * The state of an SMTP session (RFC 5321, section 4.1.4), without I/O:
 *
 *   connected --EHLO--> greeted --MAIL--> sender --RCPT--> recipients --DATA--> content --dot--> greeted
 *                                                              `--BDAT--> chunks --BDAT LAST--> greeted
 *
 * RSET and another EHLO return to greeted. STARTTLS resets the session (RFC 3207, section 4.2).
 */
import type { SaslExchange } from '../../rfc/sasl/mechanisms.ts';
import { parseCommand, type SmtpCommand } from '../../rfc/smtp/parse-command.ts';
import { ClientErrors } from '../tcp/client-errors.ts';
import type { Envelope, PolicyReply, SmtpPolicy } from './policy.ts';
import { ehloReply, MAX_MESSAGE_OCTETS, REPLIES, replyToFault } from './replies.ts';

/** The limit on recipients per message. A server must accept at least 100 (RFC 5321, section 4.5.3.1.8). */
const MAX_RECIPIENTS = 100;
/** The enhanced code of replies that reject an unknown recipient (RFC 3463, section 3.2). */
const UNKNOWN_RECIPIENT = /^550 5\.1\.1 /;
/** The limit on commands in a connection since the last accepted message, or since the start. */
const MAX_COMMANDS = 1_000;
/**
 * The limit on the length of a sender address. Servers must accept 256 octets (RFC 5321, section 4.5.3.1.3). The header fields that
 * Posthorn adds have space for 512 in one line.
 */
const MAX_PATH_OCTETS = 512;
const ASCII = /^[\x20-\x7e]*$/;

export type SessionStep =
  /** `reply` has no CRLF at its end. If `next` is absent, the session waits for another command. */
  { reply: PolicyReply; next?: 'close' | 'content' | 'starttls' } | ChunkStep | AuthStep;

/** The client sends a chunk of `octets` octets next. If `refusal` is not null, the chunk is discarded and the reply is `refusal`. */
export interface ChunkStep {
  next: 'chunk';
  octets: number;
  isLast: boolean;
  refusal: PolicyReply | null;
}

/** An AUTH exchange with the client comes next. */
export interface AuthStep {
  next: 'auth';
  exchange: SaslExchange;
  /** The initial response of the AUTH command, in base64. Null if absent. */
  initialResponse: string | null;
}

export interface ServerSessionOptions<Addressee> {
  hostname: string;
  /** Whether to offer STARTTLS while TLS is not active. */
  offersTls: boolean;
  /** Whether TLS is active from the first byte. */
  isSecured: boolean;
  /** Whether errors never end the connection. Default: false. */
  ignoresErrors?: boolean;
  policy: SmtpPolicy<Addressee>;
}

export class ServerSession<Addressee> {
  readonly #options: ServerSessionOptions<Addressee>;
  #secured: boolean;
  /** Data from the client's last EHLO or HELO. Null before the first EHLO or HELO. */
  #client: Pick<Envelope<Addressee>, 'helo' | 'isExtended'> | null = null;
  /** The envelope of the message in progress. Null before MAIL. */
  #envelope: Envelope<Addressee> | null = null;
  #size: number | null = null;
  #isChunking = false;
  readonly #errors = new ClientErrors();
  #commands = 0;

  constructor(options: ServerSessionOptions<Addressee>) {
    this.#options = options;
    this.#secured = options.isSecured;
  }

  /**
   * Processes one command. Await the result before the next call.
   * @param line the command, without CRLF
   * @param isLast whether the client has sent no input after the line
   */
  async command(line: string, isLast: boolean): Promise<SessionStep> {
    this.#commands += 1;
    if (this.#commands > MAX_COMMANDS) return { reply: REPLIES.tooManyCommands, next: 'close' };
    const command = parseCommand(line);
    const step = 'fault' in command ? { reply: replyToFault(command) } : await this.#execute(command, isLast);
    if (step.next === 'auth') return step;
    const reply = step.next === 'chunk' ? step.refusal : step.reply;
    return reply !== null && this.countError(reply) ? { reply: REPLIES.tooManyErrors, next: 'close' } : step;
  }

  /** Counts a reply with 5xx as an error. @returns whether the client has caused too many errors */
  countError(reply: PolicyReply): boolean {
    if (!reply.startsWith('5') || this.#options.ignoresErrors === true) return false;
    this.#errors.add(UNKNOWN_RECIPIENT.test(reply));
    return this.#errors.areTooMany;
  }

  /** Whether the reply must be delayed, because it is another of many errors. Call this after the reply has been counted. */
  isSlow(reply: PolicyReply): boolean {
    return reply.startsWith('5') && this.#errors.areMany;
  }

  get isChunking(): boolean {
    return this.#isChunking;
  }

  /** The size that MAIL declared (RFC 1870). Null if MAIL declared no size. */
  get size(): number | null {
    return this.#size;
  }

  /** Ends the mail transaction after the content has been read. @returns the envelope of the transaction */
  takeEnvelope(): Envelope<Addressee> {
    const envelope = this.#envelope;
    if (envelope === null) throw new Error('there is no transaction');
    this.#reset();
    return envelope;
  }

  /** Resets the counts after an accepted message. */
  onAccepted(): void {
    this.#commands = 0;
    this.#errors.clear();
  }

  /** Resets the session once TLS is active. Attack: a man in the middle may have sent the cleartext commands. */
  onSecured(): void {
    this.#secured = true;
    this.#options.policy.onSecured();
    this.#client = null;
    this.#reset();
  }

  #reset(): void {
    this.#envelope = null;
    this.#isChunking = false;
  }

  async #execute(command: SmtpCommand, isLast: boolean): Promise<SessionStep> {
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

  /** AUTH is allowed only after EHLO and outside a mail transaction (RFC 4954, section 4). */
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
    if (!policy.signsIn && hasAuthor) return REPLIES.noAuthor;
    if (size !== null && size > MAX_MESSAGE_OCTETS) return REPLIES.tooLarge;
    if (Buffer.byteLength(reversePath) > MAX_PATH_OCTETS) return REPLIES.senderTooLong;
    const refusal = await policy.checkSender(reversePath);
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
    if (!isUtf8 && !ASCII.test(forwardPath)) return REPLIES.needsUtf8;
    if (recipients.length === MAX_RECIPIENTS) return REPLIES.tooManyRecipients;
    const accepted = recipients.map(({ addressee }) => addressee);
    const routed = await policy.route({ reversePath, forwardPath, size: this.#size }, accepted);
    if ('refusal' in routed) return routed.refusal;
    recipients.push({ forwardPath, notify, originalRecipient, addressee: routed.addressee });
    return REPLIES.recipientOk;
  }

  #data(isLast: boolean): SessionStep {
    if (this.#envelope === null) return { reply: this.#missing };
    if (this.#isChunking) return { reply: REPLIES.dataAfterChunks };
    if (this.#envelope.recipients.length === 0) return { reply: REPLIES.rcptFirst };
    // Attack: if DATA were rejected, content that was sent too early would be read as commands.
    if (!isLast) return { reply: REPLIES.pipelinedData, next: 'close' };
    return { reply: REPLIES.data, next: 'content' };
  }

  /** The client sends the octets of a chunk whatever the reply is. The octets are always read, and never interpreted as commands. */
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
