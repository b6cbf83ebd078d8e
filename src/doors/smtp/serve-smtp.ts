/**
 * SMTP on one connection. Commands are processed one at a time, in order, and never while a message is being received. If a client does
 * not read its replies, `ClientConnection` limits how many of them are buffered.
 */
import type { SecureContextOf } from '../../net/tls.ts';
import type { ClientConnection } from '../tcp/client-connection.ts';
import { type ContentOptions, ContentReceiver } from './content-receiver.ts';
import { REPLIES } from './replies.ts';
import { ServerSession, type ServerSessionOptions, type AuthStep } from './session.ts';
import { decodeBase64 } from '../../rfc/sasl/mechanisms.ts';
import type { PolicyReply, SmtpPolicy } from './policy.ts';

const CANCEL = '*';

/**
 * Attack: a website makes the browser of a user post commands to an SMTP port of the user's machine or network. No SMTP command looks like
 * this, and the lines of a message are not read as commands.
 */
const HTTP_REQUEST = /^[A-Z]{3,10} \S+ HTTP\/\d\.\d$/;

/** The notation for an empty initial response to AUTH (RFC 4954, section 4). */
const NOTHING = '=';

export interface SmtpOptions<Addressee>
  extends ContentOptions,
    Pick<ServerSessionOptions<Addressee>, 'hostname' | 'policy'> {
  /** Delay of the greeting; null for none. A client that sends before the greeting is probably a spam bot, and is rejected. */
  greetMs: number | null;
  /** Whether the client is a relay of this installation. A relay is greeted at once, and its errors are not counted. Default: false. */
  isRelay?(address: string): boolean;
  /** STARTTLS is offered if there is a certificate. */
  secureContext: SecureContextOf;
}

/** Resolves when the session has ended. */
export async function serveSmtp<Addressee>(
  connection: ClientConnection,
  options: SmtpOptions<Addressee>,
): Promise<void> {
  const { hostname, secureContext, greetMs, policy } = options;
  const isRelay = options.isRelay?.(connection.address) === true;
  const session = new ServerSession({
    hostname,
    ignoresErrors: isRelay,
    offersTls: secureContext() !== null,
    isSecured: connection.tls !== null,
    policy,
  });
  using reading = new ContentReceiver(connection, session, policy, options);
  if (greetMs !== null && !isRelay && !(await connection.isSilentFor(greetMs)))
    return connection.end(REPLIES.earlyTalker);
  // The host name must come first (RFC 5321, section 4.3.1).
  connection.write(`220 ${hostname} ESMTP`);
  for (let read = await connection.line(); read !== null; read = await connection.line()) {
    if ('fault' in read)
      return connection.end(read.fault === 'too-long' ? REPLIES.lineTooLong : REPLIES.bareLineEnd);
    if (HTTP_REQUEST.test(read.line)) return connection.end(REPLIES.notHttp);
    const step = await session.command(read.line, !connection.isAhead);
    if (step.next === 'auth') {
      const reply = await authenticate(connection, step, policy);
      if (reply === null) return;
      if (session.countError(reply)) return connection.end(REPLIES.tooManyErrors);
      if (session.isSlow(reply)) await connection.slowDown();
      connection.write(reply);
      continue;
    }
    if (step.next === 'close') return connection.end(step.reply);
    const immediate = step.next === 'chunk' ? step.refusal : step.reply;
    if (immediate !== null && session.isSlow(immediate)) await connection.slowDown();
    if (step.next !== 'chunk') connection.write(step.reply);
    if (!session.isChunking) reading.discard();
    if (step.next === 'starttls') {
      await connection.startTls(secureContext);
      session.onSecured();
    }
    if (step.next !== 'content' && step.next !== 'chunk') continue;
    const answer = await ('octets' in step ? reading.chunk(step) : reading.data());
    if (answer === null) return;
    if (answer === REPLIES.bareLineEnd) return connection.end(answer);
    connection.write(answer);
  }
}

/** Runs an AUTH exchange (RFC 4954, section 4). @returns the final reply; null if the connection has ended */
async function authenticate<Addressee>(
  connection: ClientConnection,
  { exchange, initialResponse }: AuthStep,
  policy: SmtpPolicy<Addressee>,
): Promise<PolicyReply | null> {
  for (let response = initialResponse === NOTHING ? '' : initialResponse; ; ) {
    const octets = response === null ? null : decodeBase64(response);
    if (octets === null && response !== null) return REPLIES.notBase64;
    const step = exchange.next(octets);
    if ('fault' in step) return `501 5.5.2 ${step.fault}`;
    if ('user' in step) return policy.signIn(step);
    connection.write(`334 ${step.challenge.toString('base64')}`);
    const read = await connection.line();
    if (read === null) return null;
    if ('fault' in read) {
      connection.end(read.fault === 'too-long' ? REPLIES.responseTooLong : REPLIES.bareLineEnd);
      return null;
    }
    if (read.line === CANCEL) return REPLIES.authCancelled;
    response = read.line;
  }
}
