/** Splits a command into pieces for tests. */
import { announcedLiteral, type CommandPiece } from './command-piece.ts';

/** @param command the lines and literals of a command without the last CRLF, as a string in UTF-8 or as a buffer */
export function piecesOf(command: string | Buffer): CommandPiece[] {
  const bytes = Buffer.from(command);
  const pieces: CommandPiece[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at);
    const line = bytes.subarray(at, end < 0 ? bytes.length : end);
    const announced = end < 0 ? null : announcedLiteral(line);
    if (announced === null) {
      pieces.push({ text: line, literal: null });
      return pieces;
    }
    const begin = end + 2;
    at = begin + announced.octets;
    const literal = { bytes: bytes.subarray(begin, at), isBinary: announced.isBinary };
    pieces.push({ text: line.subarray(0, announced.at), literal });
  }
}
