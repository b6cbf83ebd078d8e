/**
 * SMTP on one connection: one command at a time, in order, and none while a message is being received. A client that does
 * not read its replies is bounded by the number of commands.
 */
import type { SecureContext } from 'node:tls';
import { inboundMessages } from '../../observe/instruments.ts';
import { DataReader, type ReadData } from '../../rfc/smtp/data-reader.ts';
import type { ClientConnection } from '../tcp/client-connection.ts';
import type { SharedRoom } from '../tcp/shared-room.ts';
import { MAX_MESSAGE_OCTETS, REPLIES } from './replies.ts';
import { type Envelope, ServerSession, type SessionOptions } from './session.ts';

export interface SmtpOptions<Addressee> extends Pick<SessionOptions<Addressee>, 'hostname' | 'addresseeOf'> {
  /** How long the greeting waits. A client that speaks before it does not listen, and is probably a spam bot. */
  greetMs: number;
  /** Resolves when what the message means is committed. A rejection is answered with 451, and is not logged here. */
  receive(envelope: Envelope<Addressee>, data: Buffer): Promise<void>;
  /** For the next handshake; null: STARTTLS is not offered. */
  secureContext: (() => SecureContext) | null;
  /** Octets of memory for content. */
  room: SharedRoom;
}

/** Resolves when the connection is over. */
export async function serveSmtp<Addressee>(
  connection: ClientConnection,
  options: SmtpOptions<Addressee>,
): Promise<void> {
  const { hostname, secureContext, addresseeOf } = options;
  const session = new ServerSession({ hostname, offersTls: secureContext !== null, addresseeOf });
  if (!(await connection.isSilentFor(options.greetMs))) return connection.end(REPLIES.earlyTalker);
  // RFC 5321, section 4.3.1: the host's name comes first.
  connection.write(`220 ${hostname} ESMTP`);
  for (let read = await connection.line(); read !== null; read = await connection.line()) {
    if ('fault' in read)
      return connection.end(read.fault === 'too-long' ? REPLIES.lineTooLong : REPLIES.bareLineEnd);
    const { reply, next } = await session.command(read.line, !connection.isAhead);
    if (next === 'close') return connection.end(reply);
    connection.write(reply);
    if (next === 'starttls' && secureContext !== null) {
      await connection.startTls(secureContext());
      session.secured();
    }
    if (next === 'content') {
      const answer = await takeMessage(connection, session, options);
      if (answer === null) return;
      inboundMessages.inc({ outcome: OUTCOMES[answer] });
      if (answer === REPLIES.bareLineEnd) return connection.end(answer);
      connection.write(answer);
    }
  }
}

/**
 * Reads a message to its end and takes it in, though the connection may be over by then: its sender asks again, and the
 * second time changes nothing.
 * @returns the answer; null when the message did not come to its end
 */
async function takeMessage<Addressee>(
  connection: ClientConnection,
  session: ServerSession<Addressee>,
  { room, receive }: SmtpOptions<Addressee>,
): Promise<keyof typeof OUTCOMES | null> {
  const reader = new DataReader(MAX_MESSAGE_OCTETS, (octets) => room.take(connection, octets));
  try {
    for (;;) {
      const octets = await connection.octets();
      if (octets === null) return null;
      const end = reader.push(octets);
      if (end === null) continue;
      connection.unread(end.rest);
      const envelope = session.takeEnvelope();
      if ('fault' in end.read) return FAULTS[end.read.fault];
      return await receive(envelope, end.read.data).then(
        () => REPLIES.accepted,
        () => REPLIES.tryAgain,
      );
    }
  } finally {
    room.giveBack(connection);
  }
}

const FAULTS = {
  'too-large': REPLIES.tooLarge,
  'no-memory': REPLIES.noRoom,
  'bare-line-end': REPLIES.bareLineEnd,
} as const satisfies Record<Extract<ReadData, { fault: string }>['fault'], string>;

/** The names that metrics have for the replies to a message. */
const OUTCOMES = {
  [REPLIES.accepted]: 'accepted',
  [REPLIES.tryAgain]: 'try_again',
  [REPLIES.tooLarge]: 'too_large',
  [REPLIES.noRoom]: 'no_room',
  [REPLIES.bareLineEnd]: 'bare_line_end',
} as const;
