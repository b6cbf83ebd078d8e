import type { Socket } from 'node:net';
import { startTls } from '../../../net/tls.ts';
import { type Capabilities, NO_CAPABILITIES, parseCapabilities } from '../../../rfc/smtp/capabilities.ts';
import { greetCommand } from '../../../rfc/smtp/commands.ts';
import type { AttemptReply } from '../provider.ts';
import { fromReply, ownWords, type Peer } from './attempt-reply.ts';
import { logIn } from './auth.ts';
import { type Answer, Dialogue } from './dialogue.ts';
import type { SessionOptions, SmartHostAddress } from './smart-host.ts';
import type { Wire } from './wire.ts';

/** A step's result: what went wrong, or null to go on. */
type Step = Promise<AttemptReply | null>;

/**
 * The dialogue between connecting and the first MAIL, in protocol order: greeting, EHLO, STARTTLS and EHLO
 * again, AUTH. A step that fails ends the connection, and the host as a whole cannot be used now.
 */
export class SetUp {
  readonly #address: SmartHostAddress;
  readonly #options: SessionOptions;
  readonly #verifyTls: boolean;
  #dialogue: Dialogue;
  #tls: boolean;
  #capabilities: Capabilities = NO_CAPABILITIES;
  #startTlsFailed = false;

  constructor(
    socket: Socket,
    security: { tls: boolean; verify: boolean },
    address: SmartHostAddress,
    options: SessionOptions,
  ) {
    this.#address = address;
    this.#options = options;
    this.#verifyTls = security.verify;
    this.#tls = security.tls;
    this.#dialogue = new Dialogue(socket, options.timings);
  }

  get wire(): Wire {
    return this.#dialogue.wire;
  }

  get capabilities(): Capabilities {
    return this.#capabilities;
  }

  get peer(): Peer {
    return { remoteMta: this.#address.host, tls: this.#tls };
  }

  /** The host offers STARTTLS, and the handshake went wrong. */
  get startTlsFailed(): boolean {
    return this.#startTlsFailed;
  }

  async run(useStartTls: boolean): Step {
    const failure =
      (await this.#greet()) ??
      (await this.#sayHello()) ??
      (useStartTls ? await this.#secure() : null) ??
      (await this.#authenticate()) ??
      this.#checkQuiet();
    if (failure !== null) this.wire.destroy();
    return failure;
  }

  async #greet(): Step {
    const greeting = await this.#dialogue.ask(null);
    return isReply(greeting, 220) ? null : this.#failure('The smart host refuses to talk', greeting);
  }

  async #sayHello(): Step {
    const name = this.#options.heloName;
    const ehlo = greetCommand('EHLO', name);
    const helo = greetCommand('HELO', name);
    if (ehlo === null || helo === null) return this.#failure('EHLO', { lost: `${name} is not a domain` });

    const answer = await this.#dialogue.ask(ehlo);
    if ('reply' in answer && answer.reply.code === 250) {
      this.#capabilities = parseCapabilities(answer.reply);
      return null;
    }
    if ('lost' in answer || answer.reply.code < 500)
      return this.#failure('The smart host refuses EHLO', answer);
    this.#capabilities = NO_CAPABILITIES;
    const old = await this.#dialogue.ask(helo);
    return isReply(old, 250) ? null : this.#failure('The smart host refuses EHLO and HELO', old);
  }

  async #secure(): Step {
    if (this.#tls || !this.#capabilities.startTls) return null;
    const answer = await this.#dialogue.ask('STARTTLS\r\n');
    if ('lost' in answer) return this.#failure('No STARTTLS with the smart host', answer);
    if (answer.reply.code !== 220) return null;

    const { host } = this.#address;
    const secured = await startTls(
      this.wire.release(),
      host,
      this.#verifyTls,
      this.#options.timings.connectMs,
    );
    if ('error' in secured) {
      this.#startTlsFailed = true;
      return this.#failure('No TLS with the smart host', { lost: secured.error });
    }
    this.#tls = true;
    // A new dialogue has an empty parser: what an attacker put behind the 220 in the clear must not be read as
    // if it had come over TLS (CVE-2011-0411), and what was offered before counts for nothing (RFC 3207, 4.2).
    this.#dialogue = new Dialogue(secured.socket, this.#options.timings);
    return this.#sayHello();
  }

  async #authenticate(): Step {
    const { username, password } = this.#address;
    if (username === null || password === null) return null;
    if (this.#verifyTls && !this.#tls) {
      return this.#failure('No login at the smart host', {
        lost: 'it offers no TLS, and a password is not sent without',
      });
    }
    const answer = await logIn(this.#dialogue, this.#capabilities.authMechanisms, username, password);
    return isReply(answer, 235) ? null : this.#failure('The smart host refused the login', answer);
  }

  #checkQuiet(): AttemptReply | null {
    if (!this.#dialogue.hasSurplus) return null;
    return this.#failure('No session with the smart host', { lost: 'it answered more than it was asked' });
  }

  #failure(what: string, answer: Answer): AttemptReply {
    if ('lost' in answer) return ownWords(`${what}: ${answer.lost}`, this.peer);
    const reply = fromReply(answer.reply, this.peer);
    return {
      ...ownWords(`${what}: ${reply.text}`, this.peer),
      replyCode: reply.replyCode,
      enhancedCode: reply.enhancedCode,
    };
  }
}

function isReply(answer: Answer, code: number): boolean {
  return 'reply' in answer && answer.reply.code === code;
}
