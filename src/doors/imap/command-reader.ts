/** Reads a whole command: its lines and the literals between them (RFC 9051, section 4.3; RFC 7888). */
import {
  announcedLiteral,
  type CommandPiece,
  type LiteralAnnouncement,
} from '../../rfc/imap/command-piece.ts';
import type { ClientConnection } from '../tcp/client-connection.ts';
import type { ReadOctets } from '../tcp/line-reader.ts';
import type { SharedQuota } from '../tcp/shared-quota.ts';
import { type TaggedResponse, RESPONSES, bad, FAREWELLS } from './responses.ts';

const KIB = 1024;

/** Limits on a command, in octets. */
export const COMMAND_LIMITS = {
  /** All lines and literals of a command together, before sign-in. The longest command is ID: 30 names and values (RFC 2971, section 3.3). */
  before: 33 * KIB,
  /** All lines of a command together, after sign-in. */
  lines: 64 * KIB,
  /** All literals of a command together, after sign-in. */
  literals: 64 * KIB,
  /** All messages of one command together. */
  messages: 128 * KIB * KIB,
  /** Literals of a rejected command are read and dropped up to this limit. Beyond the limit, the connection ends. */
  dropped: 64 * KIB * KIB,
} as const;
const MAX_LITERALS = 10_000;
/** Usually, the rest of a command arrives within this many milliseconds after its literal. */
const REST_MS = 1;

export type ReadCommand =
  /** `literalsOctets`: the octets of all literals. */
  | { pieces: CommandPiece[]; literalsOctets: number }
  /** The rejection of a command that was read only in part. */
  | { tag: string; rejection: TaggedResponse };

/** Memory for commands with many octets of literals, shared by all sessions. */
export type LiteralQuota = Pick<SharedQuota, 'take' | 'release'>;

export interface ReadOptions {
  isSignedIn: boolean;
  memory: LiteralQuota;
  /** The largest message in APPEND or REPLACE. */
  maxMessageOctets: number;
  /** Resolves when all earlier commands have been answered. Must not reject. */
  answered: Promise<void>;
}

/** Reads the next command. Ends the connection if the end of the command cannot be found. @returns null if the connection is over */
export async function readCommand(
  connection: ClientConnection,
  { isSignedIn, memory, maxMessageOctets, answered }: ReadOptions,
): Promise<ReadCommand | null> {
  const pieces: CommandPiece[] = [];
  let [linesOctets, literalsOctets, reservedOctets] = [0, 0, 0];
  let rejection: TaggedResponse | null = null;
  const end = async (farewell: string): Promise<null> => {
    await answered;
    connection.end(farewell);
    return null;
  };
  for (;;) {
    const read = await (isSignedIn && pieces.length > 0 ? restOfCommand(connection) : connection.rawLine());
    if (read === null) return null;
    if ('fault' in read)
      return end(read.fault === 'too-long' ? FAREWELLS.lineTooLong : FAREWELLS.bareLineEnd);
    linesOctets += read.octets.length;
    if (
      linesOctets > (isSignedIn ? COMMAND_LIMITS.lines : COMMAND_LIMITS.before - literalsOctets) ||
      pieces.length > MAX_LITERALS
    )
      return end(FAREWELLS.lineTooLong);
    const literal = announcedLiteral(read.octets);
    if (literal === null) {
      if (rejection === null)
        return { pieces: [...pieces, { text: read.octets, literal: null }], literalsOctets };
      return { tag: tagOf(pieces[0]?.text ?? read.octets), rejection };
    }
    const text = read.octets.subarray(0, literal.at);
    pieces.push({ text, literal: null });
    literalsOctets += literal.octets;
    const first = pieces[0]?.text ?? text;
    rejection ??= isSignedIn
      ? checkSize(first, literal, literalsOctets, maxMessageOctets)
      : linesOctets + literalsOctets > COMMAND_LIMITS.before
        ? RESPONSES.tooBig
        : null;
    // All literals of a command count together. Attack: many small messages instead of a large message.
    if (rejection === null && literalsOctets > COMMAND_LIMITS.literals) {
      if (!memory.take(connection, literalsOctets - reservedOctets)) rejection = RESPONSES.tryAgain;
      reservedOctets = literalsOctets;
    }
    // NO or BAD ends a command whose client waits for `+` before it sends a literal (RFC 9051, section 4.3).
    if (rejection !== null && literal.waits) return { tag: tagOf(first), rejection };
    if (rejection !== null && (!isSignedIn || literalsOctets > COMMAND_LIMITS.dropped))
      return end(FAREWELLS.literalTooBig);
    if (literal.waits) {
      await answered;
      connection.write('+ Ready for the literal');
    }
    const bytes = await readOctets(connection, literal.octets, rejection === null);
    if (bytes === null) return null;
    if (rejection === null)
      pieces[pieces.length - 1] = { text, literal: { bytes, isBinary: literal.isBinary } };
  }
}

/**
 * Reads the line after a literal. Some clients write a literal and the rest of the command separately. With Nagle's algorithm, the
 * client's system sends the rest only after our system has acknowledged the literal. An acknowledgement alone is delayed by up to 40 ms,
 * but one with data is sent at once. Node has no TCP_QUICKACK. A server may send a response at any time (RFC 9051, section 7).
 */
async function restOfCommand(connection: ClientConnection): Promise<ReadOctets | null> {
  if (connection.isAhead) return connection.rawLine();
  let immediate: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    // In a busy process, the rest may have arrived but not been read. Node reads from sockets before it calls this function.
    immediate = setImmediate(() => connection.write('* OK Literal received'));
  }, REST_MS);
  const read = await connection.rawLine();
  clearTimeout(timer);
  clearImmediate(immediate);
  return read;
}

/** @returns the rejection if the literals of a signed-in client exceed a limit, else null */
function checkSize(
  first: Buffer,
  { octets }: LiteralAnnouncement,
  together: number,
  maxMessageOctets: number,
): TaggedResponse | null {
  if (/^[^ ]+ (?:UID )?(?:APPEND|REPLACE) /i.test(first.toString('latin1', 0, 300)))
    return octets > maxMessageOctets || together > COMMAND_LIMITS.messages ? RESPONSES.tooBig : null;
  return together > COMMAND_LIMITS.literals ? bad('The literals of this command are too large') : null;
}

/** Reads a literal. @param isStored whether to return the octets; false to drop them @returns null if the connection is over */
async function readOctets(
  connection: ClientConnection,
  octets: number,
  isStored: boolean,
): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let missing = octets;
  while (missing > 0) {
    const chunk = await connection.octets();
    if (chunk === null) return null;
    if (chunk.length > missing) connection.unread(chunk.subarray(missing));
    if (isStored) chunks.push(chunk.subarray(0, missing));
    missing -= Math.min(missing, chunk.length);
  }
  return Buffer.concat(chunks);
}

/** The tag for the response to a command that starts with `line`; `*` if the line has no valid tag. */
function tagOf(line: Buffer): string {
  return (
    /^[!#$&',\-./0-9:;<=>?@A-Z[\]^_`a-z|}~]{1,100}(?= |$)/.exec(line.toString('latin1', 0, 101))?.[0] ?? '*'
  );
}
