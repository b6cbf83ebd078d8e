/**
 * SMTP on one connection: one command at a time, in order, and none while a message is being received. A client that does
 * not read its replies is bounded by the number of commands.
 */
import type { SecureContextOf } from '../../net/tls.ts';
import type { ClientConnection } from '../tcp/client-connection.ts';
import { authenticate } from './authenticate.ts';
import { type MessageOptions, MessageReading } from './message-reading.ts';
import { REPLIES } from './replies.ts';
import { ServerSession, type SessionOptions } from './session.ts';

export interface SmtpOptions<Addressee>
  extends MessageOptions,
    Pick<SessionOptions<Addressee>, 'hostname' | 'policy'> {
  /** How long the greeting waits; null: not at all. A client that speaks before it does not listen, and is probably a spam bot. */
  greetMs: number | null;
  /** Whether the greeting comes at once, and mistakes are not counted. Default: for no client. */
  isRelay?(address: string): boolean;
  /** STARTTLS is offered where there is a certificate. */
  secureContext: SecureContextOf;
}

/** Resolves when the connection is over. */
export async function serveSmtp<Addressee>(
  connection: ClientConnection,
  options: SmtpOptions<Addressee>,
): Promise<void> {
  const { hostname, secureContext, greetMs, policy } = options;
  const isRelay = options.isRelay?.(connection.address) === true;
  const session = new ServerSession({
    hostname,
    forgivesErrors: isRelay,
    offersTls: secureContext() !== null,
    isSecured: connection.tls !== null,
    policy,
  });
  using reading = new MessageReading(connection, session, policy, options);
  if (greetMs !== null && !isRelay && !(await connection.isSilentFor(greetMs)))
    return connection.end(REPLIES.earlyTalker);
  // RFC 5321, section 4.3.1: the host's name comes first.
  connection.write(`220 ${hostname} ESMTP`);
  for (let read = await connection.line(); read !== null; read = await connection.line()) {
    if ('fault' in read)
      return connection.end(read.fault === 'too-long' ? REPLIES.lineTooLong : REPLIES.bareLineEnd);
    const step = await session.command(read.line, !connection.isAhead);
    if (step.next === 'auth') {
      const reply = await authenticate(connection, step, policy);
      if (reply === null) return;
      if (session.isTooMuch(reply)) return connection.end(REPLIES.tooManyErrors);
      connection.write(reply);
      continue;
    }
    if (step.next === 'close') return connection.end(step.reply);
    if (step.next !== 'chunk') connection.write(step.reply);
    if (!session.isChunking) reading.forget();
    if (step.next === 'starttls') {
      await connection.startTls(secureContext);
      session.secured();
    }
    if (step.next !== 'content' && step.next !== 'chunk') continue;
    const answer = await ('octets' in step ? reading.chunk(step) : reading.data());
    if (answer === null) return;
    if (answer === REPLIES.bareLineEnd) return connection.end(answer);
    connection.write(answer);
  }
}
