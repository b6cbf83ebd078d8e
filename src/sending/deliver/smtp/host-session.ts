import type { Socket } from 'node:net';
import { type Secured, startTls } from '../../../net/tls.ts';
import { type Capabilities, NO_CAPABILITIES, parseCapabilities } from '../../../rfc/smtp/capabilities.ts';
import { greetCommand } from '../../../rfc/smtp/commands.ts';
import { localReply, type Peer, type ReplyFields, replyFieldsOf } from './attempt-reply.ts';
import { logIn } from './auth.ts';
import { dial } from './dial.ts';
import { type DialogueResult, SmtpDialogue } from './dialogue.ts';
import type { SessionHost, SmtpSessionOptions } from './host-address.ts';
import type { Transcript } from './transcript.ts';
import type { Wire } from './wire.ts';

/** A connection after greeting, TLS and login, on which the next command may be MAIL. */
export interface HostSession extends Peer {
  readonly remoteMta: string;
  readonly wire: Wire;
  readonly capabilities: Capabilities;
  /** The dialogue that set up the session. */
  readonly transcript: Transcript;
  readonly openedAtMs: number;
  /**
   * The error code of the TLS session, or of its absence: `no-starttls` if the host offers no STARTTLS. Null if the certificate is
   * verified.
   */
  readonly tlsFault: string | null;
}

/** The failure of a host that cannot be used at all now. */
export interface SessionFailure extends Peer {
  readonly reply: ReplyFields;
  readonly transcript: Transcript;
  /** As in `HostSession`. Null if the dialogue ended before TLS. */
  readonly tlsFault: string | null;
  /** Present if the destination permanently has no usable host. */
  readonly unroutable?: 'no_route';
  /** The most preferred MX hosts. Present together with `unroutable` if MX records named the hosts. */
  readonly bestHosts?: readonly string[] | undefined;
}

/** A failure that was found without contacting a host. */
export function ownFailure(text: string, transcript: Transcript): SessionFailure {
  return { reply: localReply(text), remoteMta: null, tls: false, tlsFault: null, transcript };
}

export type SessionResult = { readonly session: HostSession } | { readonly failure: SessionFailure };

/**
 * Opens a session. Opportunistic TLS is used whenever the host offers it, with any certificate. If TLS fails, the mail is sent without TLS,
 * as it would be to a host that offers no TLS.
 * @param signal ends the connection, during or after its set-up
 */
export async function openSession(
  host: SessionHost,
  options: SmtpSessionOptions,
  transcript: Transcript,
  signal: AbortSignal,
): Promise<SessionResult> {
  const { name, address, port, implicitTls } = host;
  const { connectMs } = options.timings;
  const fail = (text: string, tlsFault: string | null): { failure: SessionFailure } => {
    transcript.note(text);
    return { failure: { ...ownFailure(text, transcript), remoteMta: name, tlsFault } };
  };
  /** The error code of a failed TLS handshake. If set, the next connection uses no TLS. */
  let handshakeFault: string | null = null;
  for (;;) {
    transcript.note(`connecting to ${name === address ? name : `${name} (${address})`}, port ${port}`);
    const dialled = await dial(address, port, { timeoutMs: connectMs, lookup: options.lookup, signal });
    if ('error' in dialled) return fail(`No connection to ${name}, port ${port}: ${dialled.error}`, null);

    const secured = implicitTls
      ? await startTls(dialled.socket, name, host.tls, connectMs, options.ca)
      : dialled;
    if ('error' in secured) return fail(`No TLS with ${name}: ${secured.error}`, secured.fault);

    const setUp = new SetUp(secured, host, options, transcript);
    const reply = await setUp.run(handshakeFault === null);
    const { wire, capabilities, tls } = setUp;
    const result = { remoteMta: name, tls, transcript, tlsFault: handshakeFault ?? setUp.tlsFault };
    if (reply === null) return { session: { ...result, wire, capabilities, openedAtMs: performance.now() } };
    if (!setUp.handshakeFailed || host.tls === 'verified' || signal.aborted)
      return { failure: { ...result, reply, ...(setUp.isUs && { unroutable: 'no_route' }) } };
    handshakeFault = setUp.tlsFault;
  }
}

/** Error code: the host does not offer STARTTLS, or rejects it. */
const NO_STARTTLS = 'no-starttls';

/** The result of a step: the error, or null if the next step follows. */
type Step = Promise<ReplyFields | null>;

/**
 * The dialogue between connecting and the first MAIL, in protocol order: greeting, EHLO, STARTTLS, EHLO again, AUTH. A step that fails ends
 * the connection, and the host cannot be used now.
 */
class SetUp {
  readonly #host: SessionHost;
  readonly #options: SmtpSessionOptions;
  readonly #transcript: Transcript;
  #dialogue: SmtpDialogue;
  tls = false;
  /** See `HostSession.tlsFault`. */
  tlsFault: string | null = null;
  capabilities: Capabilities = NO_CAPABILITIES;
  /** Whether the host offers STARTTLS but the handshake failed. */
  handshakeFailed = false;
  /** Whether the host is this server itself, under whatever name it was found. */
  isUs = false;

  constructor(
    connection: { socket: Socket } | Secured,
    host: SessionHost,
    options: SmtpSessionOptions,
    transcript: Transcript,
  ) {
    this.#host = host;
    this.#options = options;
    this.#transcript = transcript;
    this.#dialogue = 'fault' in connection ? this.#overTls(connection) : this.#newDialogue(connection.socket);
  }

  get wire(): Wire {
    return this.#dialogue.wire;
  }

  async run(useStartTls: boolean): Step {
    const failure =
      (await this.#greet()) ??
      (await this.#sendHello()) ??
      (useStartTls ? await this.#secure() : null) ??
      (await this.#authenticate()) ??
      this.#checkQuiet();
    if (failure !== null) this.wire.destroy();
    return failure;
  }

  async #greet(): Step {
    const greeting = await this.#dialogue.ask(null);
    if (!isReply(greeting, 220)) return this.#failure('rejects the connection', greeting);
    this.isUs = this.#host.mayBeUs && isNamed(greeting, this.#options.heloName);
    return this.isUs ? localReply(`${this.#host.name} is this server itself`, '5.4.6') : null;
  }

  async #sendHello(): Step {
    const name = this.#options.heloName;
    const ehlo = greetCommand('EHLO', name);
    const helo = greetCommand('HELO', name);
    if (ehlo === null || helo === null) {
      return this.#failure('cannot be greeted', { lost: `${name} is not a domain` });
    }
    const answer = await this.#dialogue.ask(ehlo);
    if ('reply' in answer && answer.reply.code === 250) {
      this.capabilities = parseCapabilities(answer.reply);
      return null;
    }
    if ('lost' in answer || answer.reply.code < 500) return this.#failure('rejects EHLO', answer);
    this.capabilities = NO_CAPABILITIES;
    const old = await this.#dialogue.ask(helo);
    return isReply(old, 250) ? null : this.#failure('rejects EHLO and HELO', old);
  }

  async #secure(): Step {
    if (this.tls) return null;
    if (!this.capabilities.startTls) return this.#doWithoutTls({ lost: 'it does not offer STARTTLS' });
    const answer = await this.#dialogue.ask('STARTTLS\r\n');
    if ('lost' in answer) return this.#failure('closes at STARTTLS', answer);
    if (answer.reply.code !== 220) return this.#doWithoutTls(answer);

    const { timings, ca } = this.#options;
    const { name, tls } = this.#host;
    const secured = await startTls(this.wire.release(), name, tls, timings.connectMs, ca);
    if ('error' in secured) {
      this.handshakeFailed = true;
      this.tlsFault = secured.fault;
      this.#transcript.note(`no TLS: ${secured.error}`);
      return this.#failure('cannot be used over TLS', { lost: secured.error });
    }
    // A new dialogue has an empty parser. Plaintext that an attacker injected after the 220 must not be read as if it had arrived over TLS
    // (CVE-2011-0411), and capabilities offered before TLS are discarded (RFC 3207, section 4.2).
    this.#dialogue = this.#overTls(secured);
    return this.#sendHello();
  }

  #doWithoutTls(why: DialogueResult): ReplyFields | null {
    this.tlsFault = NO_STARTTLS;
    return this.#host.tls === 'verified' ? this.#failure('cannot be used without TLS', why) : null;
  }

  #overTls({ socket, fault }: Secured): SmtpDialogue {
    this.tls = true;
    this.tlsFault = fault;
    const certificate = fault === null ? 'certificate verified' : `certificate not verified (${fault})`;
    this.#transcript.note(
      `${socket.getProtocol() ?? 'TLS'} with ${socket.getCipher().standardName}, ${certificate}`,
    );
    return this.#newDialogue(socket);
  }

  #newDialogue(socket: Socket): SmtpDialogue {
    return new SmtpDialogue(socket, this.#options.timings, this.#transcript);
  }

  async #authenticate(): Step {
    const { login } = this.#host;
    if (login === null) return null;
    const answer = await logIn(this.#dialogue, this.capabilities.authMechanisms, login);
    return isReply(answer, 235) ? null : this.#failure('rejects the login', answer);
  }

  #checkQuiet(): ReplyFields | null {
    const { unsolicited } = this.#dialogue;
    if (unsolicited === null) return null;
    const why = 'lost' in unsolicited ? unsolicited : { lost: 'it sent an unexpected reply' };
    return this.#failure('cannot be used', why);
  }

  #failure(what: string, answer: DialogueResult): ReplyFields {
    const start = `${this.#host.name} ${what}: `;
    if ('lost' in answer) return localReply(start + answer.lost);
    const { replyCode, enhancedCode, text } = replyFieldsOf(answer.reply);
    return { ...localReply(start + text), replyCode, enhancedCode };
  }
}

/** Whether the host named itself `name` in its greeting (RFC 5321, section 4.2). */
function isNamed(answer: DialogueResult, name: string): boolean {
  const [line = ''] = 'reply' in answer ? answer.reply.lines : [];
  return line.split(' ', 1)[0]?.toLowerCase() === name.toLowerCase();
}

function isReply(answer: DialogueResult, code: number): boolean {
  return 'reply' in answer && answer.reply.code === code;
}
