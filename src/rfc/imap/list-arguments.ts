/** Parses the arguments of LIST and LSUB (RFC 9051, section 6.3.9; RFC 5258, 5819, 6154; RFC 3501, section 6.3.9). */
import type { Command } from './command.ts';
import type { CommandCursor } from './command-cursor.ts';
import { readStatusItems } from './mailbox-arguments.ts';
import { readMailboxName } from './mailbox-name.ts';

const MAX_OPTIONS = 20;
const MAX_PATTERNS = 100;

type List = Extract<Command, { name: 'LIST' }>;
type SelectOption = List['select'][number];
type ReturnOption = List['return'][number];

const SELECT_OPTIONS: ReadonlySet<string> = new Set<SelectOption>([
  'SUBSCRIBED',
  'REMOTE',
  'RECURSIVEMATCH',
  'SPECIAL-USE',
]);

export function readList(cursor: CommandCursor): Command {
  cursor.space('a reference, such as ""');
  let select: SelectOption[] = [];
  let extended = false;
  if (cursor.nextIs('(')) {
    extended = true;
    select = readSelectOptions(cursor);
    cursor.space('a reference, such as ""');
  }
  const reference = cursor.octets('a reference, such as ""');
  cursor.space('a pattern, such as *');
  let patterns: string[];
  if (cursor.nextIs('(')) {
    extended = true;
    patterns = cursor.list('patterns', MAX_PATTERNS, () => cursor.pattern());
    if (patterns.length === 0) cursor.needs('a pattern, such as *');
  } else patterns = [cursor.pattern()];
  let options: ReturnOption[] = [];
  if (cursor.more()) {
    extended = true;
    options = readReturnOptions(cursor);
  }
  return { name: 'LIST', extended, select, ...readable(cursor, reference, patterns), return: options };
}

export function readLsub(cursor: CommandCursor): Command {
  cursor.space('a reference, such as ""');
  const reference = cursor.octets('a reference, such as ""');
  cursor.space('a pattern, such as *');
  const read = readable(cursor, reference, [cursor.pattern()]);
  return { name: 'LSUB', reference: read.reference, pattern: read.patterns[0] ?? null };
}

/** Drops patterns that are not valid names in the encoding of the session. Such patterns match nothing (RFC 5258, section 3). */
function readable({ utf8 }: CommandCursor, reference: string, patterns: readonly string[]) {
  const base = readMailboxName(reference, utf8);
  const names = patterns.map((pattern) => readMailboxName(pattern, utf8)).filter((name) => name !== null);
  return { reference: base ?? '', patterns: base === null ? [] : names };
}

function readSelectOptions(cursor: CommandCursor): SelectOption[] {
  const options = cursor.list('selection options', MAX_OPTIONS, () => {
    const option = cursor.word('an option, such as SUBSCRIBED');
    if (!SELECT_OPTIONS.has(option)) cursor.fault(`LIST does not support the option ${option.slice(0, 30)}`);
    return option as SelectOption;
  });
  // RECURSIVEMATCH modifies another option, which cannot be REMOTE (RFC 5258, section 3.1).
  if (options.includes('RECURSIVEMATCH') && options.every((option) => option.startsWith('RE')))
    cursor.fault('RECURSIVEMATCH needs another option: SUBSCRIBED or SPECIAL-USE');
  return [...new Set(options)];
}

function readReturnOptions(cursor: CommandCursor): ReturnOption[] {
  if (cursor.word('RETURN before its options') !== 'RETURN') cursor.needs('RETURN before its options');
  cursor.space('options in parentheses after RETURN');
  const options = new Map<string, ReturnOption>();
  cursor.list('return options', MAX_OPTIONS, () => {
    const name = cursor.word('an option, such as CHILDREN');
    switch (name) {
      case 'SUBSCRIBED':
      case 'CHILDREN':
      case 'SPECIAL-USE':
        options.set(name, name);
        return;
      case 'STATUS':
        cursor.space('status items, such as (MESSAGES)');
        options.set(name, { status: readStatusItems(cursor) });
        return;
      default:
        cursor.fault(`LIST cannot return ${name.slice(0, 30)}`);
    }
  });
  return [...options.values()];
}
