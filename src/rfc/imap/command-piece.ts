/** The pieces of a command: lines, and the literals between them (RFC 9051, section 4.3; RFC 7888; RFC 3516). */

export interface CommandPiece {
  /** The octets of a line, without its CRLF and without the announcement of a literal. */
  text: Buffer;
  /** The literal after the line. Null after the last line. */
  literal: { bytes: Buffer; isBinary: boolean } | null;
}

export interface LiteralAnnouncement {
  /** The position in the line at which the announcement begins. */
  at: number;
  /** The announced length, which may be larger than any limit. */
  octets: number;
  /** Whether the client waits for a `+` before it sends the literal. */
  waits: boolean;
  /** True for a literal8, which may contain NULs. */
  isBinary: boolean;
}

/** The length of the longest announcement: `~{18446744073709551615+}`. */
const LONGEST = 25;
const ANNOUNCEMENT = /(~?)\{(\d{1,20})(\+?)\}$/;

/** Reads the announcement of a literal at the end of a line. @param line without its CRLF @returns null if the line announces no literal */
export function announcedLiteral(line: Buffer): LiteralAnnouncement | null {
  const from = Math.max(0, line.length - LONGEST);
  const found = ANNOUNCEMENT.exec(line.toString('latin1', from));
  if (found === null) return null;
  const [, tilde, octets, plus] = found;
  return { at: from + found.index, octets: Number(octets), waits: plus === '', isBinary: tilde === '~' };
}
