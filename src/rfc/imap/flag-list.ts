/** Parses the flags that a client sets (RFC 9051, sections 2.3.2 and 9). */
import type { CommandCursor } from './command-cursor.ts';

const MAX_FLAGS = 200;
const SYSTEM = new Map(
  ['\\Answered', '\\Flagged', '\\Deleted', '\\Seen', '\\Draft'].map((flag) => [flag.toLowerCase(), flag]),
);

/** Parses `flag-list`. */
export function readFlagList(cursor: CommandCursor): string[] {
  return cursor.list('flags', MAX_FLAGS, () => readFlag(cursor));
}

/** Parses the flags in STORE, with or without parentheses. */
export function readStoredFlags(cursor: CommandCursor): string[] {
  if (cursor.nextIs('(')) return readFlagList(cursor);
  const flags = [readFlag(cursor)];
  while (cursor.more()) {
    if (flags.length === MAX_FLAGS) cursor.fault(`${cursor.command} has more than ${MAX_FLAGS} flags`);
    flags.push(readFlag(cursor));
  }
  return flags;
}

/** Parses a keyword, which stays as written, or a system flag, which gets the spelling of the RFC. Clients cannot set `\Recent`. */
function readFlag(cursor: CommandCursor): string {
  const what = 'flags, such as \\Seen or a keyword';
  if (!cursor.take('\\')) return cursor.atom(what);
  const name = cursor.atom(what);
  return (
    SYSTEM.get(`\\${name.toLowerCase()}`) ??
    cursor.fault(`Messages cannot have the flag \\${name.slice(0, 30)}`)
  );
}
