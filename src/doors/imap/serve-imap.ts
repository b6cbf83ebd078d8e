/** Serves IMAP on one connection. Commands run one at a time, in order, even if the client pipelines them. */
import { imapCommands } from '../../observe/instruments.ts';
import type { Command } from '../../rfc/imap/command.ts';
import type { ClientConnection } from '../tcp/client-connection.ts';
import { capabilities } from './capabilities.ts';
import { type LiteralQuota, readCommand } from './command-reader.ts';
import { runCommand } from './run-command.ts';
import { FAREWELLS, taggedLine } from './responses.ts';
import { type ImapServices, ImapSession, type ImapSessionOptions } from './session.ts';

/** Commands that the latency metric excludes, because they wait for the client. */
const WAITING: readonly Command['name'][] = ['IDLE', 'AUTHENTICATE'];

/** The number of consecutive BAD responses after which the connection ends. */
const MAX_ERRORS = 20;

export interface ImapOptions extends ImapSessionOptions {
  services: ImapServices;
  memory: LiteralQuota;
  /** Time limit for sign-in. A connection that never signs in would occupy a slot that other clients need. */
  signInMs: number;
  /** Time limit for the next command after sign-in. */
  signedInIdleMs: number;
  /** Maximum line length after sign-in, with CRLF. */
  signedInLineOctets: number;
}

/** Serves a connection. Resolves when the connection is over. */
export async function serveImap(connection: ClientConnection, options: ImapOptions): Promise<void> {
  const { services, memory } = options;
  using session = new ImapSession(connection, services, options);
  session.untagged(`OK [CAPABILITY ${capabilities(session)}] ${services.hostname} is ready`);
  using stack = new DisposableStack();
  // Releases memory that is still in use if the client disconnects in the middle of a literal.
  stack.defer(() => memory.release(connection));
  using late = new DisposableStack();
  const timer = setTimeout(() => connection.end(FAREWELLS.signInLate), options.signInMs).unref();
  late.defer(() => clearTimeout(timer));
  let errors = 0;
  while (!session.isOver) {
    session.output.flush();
    const isSignedIn = session.mailbox !== null;
    const read = await readCommand(connection, { isSignedIn, memory });
    if (read === null) return;
    const startMs = performance.now();
    const { tag, answer, command } =
      'rejection' in read
        ? { tag: read.tag, answer: read.rejection, command: null }
        : await runCommand(session, read.pieces);
    if (command === null || !WAITING.includes(command))
      imapCommands.observe(
        { command: command ?? 'none', result: answer.status.toLowerCase() },
        (performance.now() - startMs) / 1_000,
      );
    memory.release(connection);
    session.output.line(taggedLine(tag, answer));
    errors = answer.status === 'BAD' ? errors + 1 : 0;
    if (errors === MAX_ERRORS) session.farewell = FAREWELLS.tooManyErrors;
    if (session.farewell !== null) return session.end(session.farewell);
    if (session.afterResponse !== null) {
      session.output.flush();
      await session.afterResponse();
      session.afterResponse = null;
    }
    if (isSignedIn || session.mailbox === null) continue;
    late.dispose();
    connection.isTrusted = true;
    connection.idleMs = options.signedInIdleMs;
    connection.lineOctets = options.signedInLineOctets;
  }
  session.output.flush();
  connection.close();
}
