/** The AUTHORIZATION state (RFC 1939, section 4). */
import { parsePop3Command, type Pop3Command } from '../../rfc/pop3/parse-command.ts';
import { decodeBase64, SASL_MECHANISMS, startExchange } from '../../rfc/sasl/mechanisms.ts';
import type { SecureContextOf } from '../../net/tls.ts';
import type { ClientConnection } from '../tcp/client-connection.ts';
import { ClientErrors } from '../tcp/client-errors.ts';
import { capabilities } from './capabilities.ts';
import { type MaildropOptions, type OpenMaildrop, openMaildrop } from './open-maildrop.ts';
import { faultReply, REPLIES, replyToFault } from './replies.ts';

export interface AuthorizeOptions extends MaildropOptions {
  /** Returns null if there is no certificate, so that STLS cannot be offered. */
  secureContext: SecureContextOf;
}

const CANCEL = '*';
/** The notation for an empty initial response to AUTH (RFC 5034, section 4). */
const NOTHING = '=';

/** Handles commands until sign-in. @returns null if the connection is over */
export async function authorize(
  connection: ClientConnection,
  options: AuthorizeOptions,
): Promise<OpenMaildrop | null> {
  const state = new Authorization(connection, options);
  for (const errors = new ClientErrors(); !errors.areTooMany; ) {
    const read = await connection.line();
    if (read === null) return null;
    if ('fault' in read) return state.endWith(faultReply(read.fault));
    const command = parsePop3Command(read.line);
    const answer = 'fault' in command ? replyToFault(command) : await state.run(command);
    if (answer === null) return null;
    if (typeof answer === 'object') return answer;
    if (answer.startsWith('-')) {
      errors.add();
      if (errors.areMany) await connection.slowDown();
    }
    connection.write(answer);
    if (answer === REPLIES.startTls) await state.secure();
  }
  return state.endWith(REPLIES.tooManyErrors);
}

class Authorization {
  readonly #connection: ClientConnection;
  readonly #options: AuthorizeOptions;
  #user: string | null = null;

  constructor(connection: ClientConnection, options: AuthorizeOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  /** @returns the reply, or the maildrop after sign-in; null if the connection is over */
  async run(command: Pop3Command): Promise<string | OpenMaildrop | null> {
    const user = this.#user;
    this.#user = null;
    switch (command.verb) {
      case 'CAPA':
        return `${REPLIES.capabilities}\r\n${capabilities({ hasStls: this.#hasStls, mayLogIn: this.#mayLogIn })}`;
      case 'STLS':
        if (this.#connection.tls !== null) return REPLIES.tlsAlready;
        return this.#hasStls ? REPLIES.startTls : REPLIES.noTls;
      case 'UTF8':
        return REPLIES.utf8;
      case 'USER':
        if (!this.#mayLogIn) return this.#plainRefused;
        this.#user = command.name;
        return REPLIES.userOk;
      case 'PASS':
        if (!this.#mayLogIn) return this.#plainRefused;
        return user === null ? REPLIES.userFirst : this.#open(user, command.password);
      case 'AUTH':
        return this.#auth(command);
      case 'QUIT':
        return this.endWith(REPLIES.bye);
      default:
        return REPLIES.signInFirst;
    }
  }

  endWith(farewell: string): null {
    this.#connection.end(farewell);
    return null;
  }

  /** Starts TLS. Plaintext that was sent ahead is dropped. Attack: a man in the middle may have injected the plaintext. */
  async secure(): Promise<void> {
    await this.#connection.startTls(this.#options.secureContext);
  }

  /** AUTH (RFC 5034, section 4). */
  async #auth({ mechanism, initialResponse }: Pop3Command & { verb: 'AUTH' }) {
    if (mechanism === null)
      return [REPLIES.mechanisms, ...(this.#mayLogIn ? SASL_MECHANISMS : []), '.'].join('\r\n');
    const exchange = startExchange(mechanism);
    if (exchange === null) return REPLIES.noMechanism;
    if (!this.#mayLogIn) return this.#plainRefused;
    for (let response = initialResponse === NOTHING ? '' : initialResponse; ; ) {
      const octets = response === null ? null : decodeBase64(response);
      const step = octets === null && response !== null ? null : exchange.next(octets);
      if (step === null || 'fault' in step) return REPLIES.authMalformed;
      if ('user' in step) return this.#open(step.user, step.password);
      this.#connection.write(`+ ${step.challenge.toString('base64')}`);
      const read = await this.#connection.line();
      if (read === null) return null;
      if ('fault' in read) return this.endWith(faultReply(read.fault));
      if (read.line === CANCEL) return REPLIES.authCancelled;
      response = read.line;
    }
  }

  #open(user: string, password: string): Promise<OpenMaildrop | string> {
    return openMaildrop(this.#options, { user, password, address: this.#connection.address });
  }

  get #hasStls(): boolean {
    return this.#connection.tls === null && this.#options.secureContext() !== null;
  }

  get #mayLogIn(): boolean {
    return this.#connection.isPrivate;
  }

  get #plainRefused(): string {
    return this.#options.secureContext() === null ? REPLIES.plainRefusedWithoutTls : REPLIES.plainRefused;
  }
}
