/** How a command comes: lines, and the literals between them (RFC 9051, section 4.3; RFC 7888; RFC 3516). */

export interface CommandPiece {
  /** Octets of a line: without its CRLF, and without the announcement of a literal. */
  text: Buffer;
  /** What follows the line; null after the last one. */
  literal: { bytes: Buffer; isBinary: boolean } | null;
}

export interface LiteralAnnouncement {
  /** Where it begins in the line. */
  at: number;
  /** May be more than any number that fits. */
  octets: number;
  /** The client waits for a `+` before it sends them. */
  waits: boolean;
  /** literal8: NULs may be in it. */
  isBinary: boolean;
}

/** `~{18446744073709551615+}` */
const LONGEST = 25;
const ANNOUNCEMENT = /(~?)\{(\d{1,20})(\+?)\}$/;

/** The literal that follows a line. @param line without its CRLF @returns null: none does */
export function announcedLiteral(line: Buffer): LiteralAnnouncement | null {
  const from = Math.max(0, line.length - LONGEST);
  const found = ANNOUNCEMENT.exec(line.toString('latin1', from));
  if (found === null) return null;
  const [, tilde, octets, plus] = found;
  return { at: from + found.index, octets: Number(octets), waits: plus === '', isBinary: tilde === '~' };
}
