/** Converts flags between IMAP (RFC 9051, section 2.3.2) and the store. */
import type { FlaggedMessage } from '../../store/change-flags.ts';
import { FLAG } from '../../store/flags.ts';

const SYSTEM_FLAGS = [
  ['\\Answered', FLAG.answered],
  ['\\Flagged', FLAG.flagged],
  ['\\Deleted', FLAG.deleted],
  ['\\Seen', FLAG.seen],
  ['\\Draft', FLAG.draft],
] as const;

const BITS: ReadonlyMap<string, number> = new Map(
  SYSTEM_FLAGS.map(([name, bit]) => [name.toLowerCase(), bit]),
);

/** Formats flags, such as `(\Answered \Seen $Forwarded)`. */
export function flagList(
  { flags, keywords }: Pick<FlaggedMessage, 'flags' | 'keywords'>,
  isRecent: boolean,
): string {
  let list = isRecent ? ' \\Recent' : '';
  for (const [name, bit] of SYSTEM_FLAGS) if ((flags & bit) !== 0) list += ` ${name}`;
  for (const keyword of keywords) list += ` ${keyword}`;
  return `(${list.slice(1)})`;
}

/** Formats the flags of a folder for FLAGS and PERMANENTFLAGS, such as `(\Answered \Seen $Forwarded \*)`. */
export function flagsOfFolder(keywords: readonly string[], more: readonly string[] = []): string {
  return `(${[...SYSTEM_FLAGS.map(([name]) => name), ...keywords, ...more].join(' ')})`;
}

/** Parses flags from a client. @returns null if a flag starts with a backslash but is not a system flag that clients may set */
export function readFlags(names: readonly string[]): Pick<FlaggedMessage, 'flags' | 'keywords'> | null {
  let flags = 0;
  const keywords: string[] = [];
  for (const name of names) {
    const bit = BITS.get(name.toLowerCase());
    if (bit !== undefined) flags |= bit;
    else if (name.startsWith('\\')) return null;
    else keywords.push(name);
  }
  return { flags, keywords };
}
