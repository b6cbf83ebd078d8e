/** The pieces of a command: lines, and the literals between them (RFC 9051, section 4.3; RFC 7888; RFC 3516). */

export interface CommandPiece {
  /** The octets of a line, without CRLF and without the announcement of a literal. */
  text: Buffer;
  /** The literal after the line. Null after the last line. */
  literal: { bytes: Buffer; isBinary: boolean } | null;
}

export interface LiteralAnnouncement {
  /** The position of the announcement in the line. */
  at: number;
  /** The announced length, which may be larger than any limit. */
  octets: number;
  /** Whether the client waits for a `+` before it sends the literal. */
  waits: boolean;
  /** Whether the literal is a literal8, which may contain NUL. */
  isBinary: boolean;
}

/** More than the length of the longest announcement, `~{18446744073709551615+}`. */
const LONGEST = 25;
const ANNOUNCEMENT = /(~?)\{(\d{1,20})(\+?)\}$/;

/** Parses the announcement of a literal at the end of a line. @param line a line without CRLF @returns null if there is no announcement */
export function announcedLiteral(line: Buffer): LiteralAnnouncement | null {
  const from = Math.max(0, line.length - LONGEST);
  const found = ANNOUNCEMENT.exec(line.toString('latin1', from));
  if (found === null) return null;
  const [, tilde, octets, plus] = found;
  return { at: from + found.index, octets: Number(octets), waits: plus === '', isBinary: tilde === '~' };
}
