/**
 * Serves IMAP on one connection. Commands run one at a time, in order, even if the client pipelines them. Only APPENDs of small messages
 * overlap: while a commit is running, the server reads further APPENDs, which then share the next commit.
 */
import { imapCommands } from '../../observe/instruments.ts';
import type { Command } from '../../rfc/imap/command.ts';
import type { ClientConnection } from '../tcp/client-connection.ts';
import { ClientErrors } from '../tcp/client-errors.ts';
import { capabilities } from './capabilities.ts';
import { COMMAND_LIMITS, type LiteralQuota, readCommand } from './command-reader.ts';
import { type StartedCommand, startCommand } from './run-command.ts';
import { FAREWELLS, taggedLine } from './responses.ts';
import { type ImapServices, ImapSession, type ImapSessionOptions } from './session.ts';

/** Commands that the latency metric excludes, because they wait for the client. */
const WAITING: readonly Command['name'][] = ['IDLE', 'AUTHENTICATE'];

/**
 * Limits on commands that wait for a commit. At a limit, no further command is read until all of them have been answered. Literals above
 * `COMMAND_LIMITS.literals` octets together occupy shared memory.
 */
const PENDING = { commands: 50, octets: 4 * COMMAND_LIMITS.literals };

export interface ImapOptions extends ImapSessionOptions {
  services: ImapServices;
  memory: LiteralQuota;
  /** Time limit for sign-in. A connection that never signs in would occupy a slot that other clients need. */
  signInMs: number;
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
  const errors = new ClientErrors();
  /** Resolves when all commands that were read have been answered. Never rejects. */
  let answered = Promise.resolve();
  /** Commands whose response waits for a commit. */
  const pending = { commands: 0, octets: 0 };

  async function answer({ tag, name, finish }: StartedCommand, startMs: number): Promise<void> {
    const response = await finish();
    if (name === null || !WAITING.includes(name))
      imapCommands.observe(
        { command: name ?? 'none', result: response.status.toLowerCase() },
        (performance.now() - startMs) / 1_000,
      );
    if (response.status === 'BAD') {
      errors.add();
      if (errors.areMany) await connection.slowDown();
    } else errors.clear();
    session.output.line(taggedLine(tag, response));
  }

  /** Answers a command after all earlier commands, while the next command is read. */
  async function answerLater(command: StartedCommand, octets: number, startMs: number): Promise<void> {
    const earlier = answered;
    pending.commands += 1;
    pending.octets += octets;
    await earlier;
    await answer(command, startMs);
    pending.commands -= 1;
    pending.octets -= octets;
    // While other commands wait for a commit, do not flush, so that this response can share a packet with theirs.
    if (pending.commands === 0) session.output.flush();
  }

  while (!session.isOver) {
    const isFull = pending.commands >= PENDING.commands || pending.octets >= PENDING.octets;
    if (!connection.isAhead || isFull || connection.isStopping) await answered;
    if (pending.commands === 0) memory.release(connection);
    session.output.flush();
    const isSignedIn = session.mailbox !== null;
    const read = await readCommand(connection, {
      isSignedIn,
      memory,
      maxMessageOctets: services.maxMessageOctets,
      answered,
    });
    if (read === null) break;
    const startMs = performance.now();
    const octets = 'rejection' in read ? 0 : read.literalsOctets;
    // Literals above this size occupy shared memory until the command has been answered.
    if ('rejection' in read || octets > COMMAND_LIMITS.literals) await answered;
    const command =
      'rejection' in read
        ? { tag: read.tag, name: null, isPending: false, finish: async () => read.rejection }
        : await startCommand(session, read.pieces, answered);
    if (command.isPending && octets <= COMMAND_LIMITS.literals) {
      answered = connection.whileReading(answerLater(command, octets, startMs));
      if (pending.octets > COMMAND_LIMITS.literals && !memory.take(connection, octets)) await answered;
      continue;
    }
    await answered;
    await answer(command, startMs);
    if (errors.areTooMany) session.farewell = FAREWELLS.tooManyErrors;
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
  await answered;
  session.output.flush();
  connection.close();
}
