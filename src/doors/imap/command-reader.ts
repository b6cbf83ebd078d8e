/** Reads a command whole: its lines, and the literals between them (RFC 9051, section 4.3; RFC 7888). */
import {
  announcedLiteral,
  type CommandPiece,
  type LiteralAnnouncement,
} from '../../rfc/imap/command-piece.ts';
import type { ClientConnection } from '../tcp/client-connection.ts';
import type { SharedQuota } from '../tcp/shared-quota.ts';
import { type TaggedResponse, RESPONSES, bad, FAREWELLS } from './responses.ts';

const KIB = 1024;

/** In octets. */
export const COMMAND_LIMITS = {
  /** All lines of a command together. */
  linesBefore: 16 * KIB,
  lines: 64 * KIB,
  /** All literals of a command together: before anybody has signed in, a user name and a password. */
  literalsBefore: 2 * KIB,
  literals: 64 * KIB,
  /** Each message that APPEND or REPLACE brings. */
  message: 40 * KIB * KIB,
  /** All messages of one command. */
  messages: 128 * KIB * KIB,
  /** What is to be dropped may have so many; with more of them the connection ends. */
  dropped: 64 * KIB * KIB,
} as const;
const MAX_LITERALS = 10_000;

export type ReadCommand =
  | { pieces: CommandPiece[] }
  /** Refused before it was there as a whole. */
  | { tag: string; answer: TaggedResponse };

/** Octets of literals that all sessions hold, where those of a command are many. */
export type LiteralQuota = Pick<SharedQuota, 'take' | 'giveBack'>;

export interface ReadOptions {
  isSignedIn: boolean;
  room: LiteralQuota;
}

/** The next command. @returns null: the connection is over, or ended here because nothing that follows could be trusted */
export async function readCommand(
  connection: ClientConnection,
  { isSignedIn, room }: ReadOptions,
): Promise<ReadCommand | null> {
  const pieces: CommandPiece[] = [];
  let [linesOctets, literalsOctets, takenOctets] = [0, 0, 0];
  let refusal: TaggedResponse | null = null;
  for (;;) {
    const read = await connection.rawLine();
    if (read === null) return null;
    if ('fault' in read) {
      connection.end(read.fault === 'too-long' ? FAREWELLS.lineTooLong : FAREWELLS.bareLineEnd);
      return null;
    }
    linesOctets += read.octets.length;
    if (
      linesOctets > (isSignedIn ? COMMAND_LIMITS.lines : COMMAND_LIMITS.linesBefore) ||
      pieces.length > MAX_LITERALS
    ) {
      connection.end(FAREWELLS.lineTooLong);
      return null;
    }
    const literal = announcedLiteral(read.octets);
    if (literal === null) {
      if (refusal === null) return { pieces: [...pieces, { text: read.octets, literal: null }] };
      return { tag: tagOf(pieces[0]?.text ?? read.octets), answer: refusal };
    }
    const text = read.octets.subarray(0, literal.at);
    pieces.push({ text, literal: null });
    literalsOctets += literal.octets;
    const first = pieces[0]?.text ?? text;
    refusal ??= refuse(first, literal, literalsOctets, isSignedIn);
    // Attack: a message as many small ones. What is held of a command counts as a whole.
    if (refusal === null && literalsOctets > COMMAND_LIMITS.literals) {
      if (!room.take(connection, literalsOctets - takenOctets)) refusal = RESPONSES.tryAgain;
      takenOctets = literalsOctets;
    }
    // The client waits, and will not send the literal (RFC 9051, section 4.3).
    if (refusal !== null && literal.waits) return { tag: tagOf(first), answer: refusal };
    if (refusal !== null && (!isSignedIn || literalsOctets > COMMAND_LIMITS.dropped)) {
      connection.end(FAREWELLS.literalTooBig);
      return null;
    }
    if (literal.waits) connection.write('+ Go on');
    const bytes = await readOctets(connection, literal.octets, refusal === null);
    if (bytes === null) return null;
    if (refusal === null)
      pieces[pieces.length - 1] = { text, literal: { bytes, isBinary: literal.isBinary } };
  }
}

/** What is too large to be taken, whoever sends it. */
function refuse(
  first: Buffer,
  { octets }: LiteralAnnouncement,
  together: number,
  isSignedIn: boolean,
): TaggedResponse | null {
  if (!isSignedIn) return together > COMMAND_LIMITS.literalsBefore ? RESPONSES.tooBig : null;
  if (/^[^ ]+ (?:UID )?(?:APPEND|REPLACE) /i.test(first.toString('latin1', 0, 300)))
    return octets > COMMAND_LIMITS.message || together > COMMAND_LIMITS.messages ? RESPONSES.tooBig : null;
  return together > COMMAND_LIMITS.literals ? bad('The literals of this command are too large') : null;
}

/** @param isKept false: they are read and dropped @returns null: the connection is over */
async function readOctets(
  connection: ClientConnection,
  octets: number,
  isKept: boolean,
): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let missing = octets;
  while (missing > 0) {
    const chunk = await connection.octets();
    if (chunk === null) return null;
    if (chunk.length > missing) connection.unread(chunk.subarray(missing));
    if (isKept) chunks.push(chunk.subarray(0, missing));
    missing -= Math.min(missing, chunk.length);
  }
  return Buffer.concat(chunks);
}

/** What an answer begins with; `*` where a line has no tag. */
function tagOf(line: Buffer): string {
  return (
    /^[!#$&',\-./0-9:;<=>?@A-Z[\]^_`a-z|}~]{1,100}(?= |$)/.exec(line.toString('latin1', 0, 101))?.[0] ?? '*'
  );
}
