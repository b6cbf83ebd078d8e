/** Matches mailbox names against LIST patterns (RFC 9051, section 6.3.9). */

/**
 * The maximum total number of wildcards in the patterns of one command. Patterns beyond the limit match nothing; the RFC allows this. A
 * wildcard costs up to one step for each position in each name.
 */
const MAX_WILDCARDS = 40;

/** @param patterns patterns with the reference prepended. `*` matches any text, `%` any text without `/` */
export function namesMatching(patterns: readonly string[]): (name: string) => boolean {
  const plain = new Set<string>();
  const wild: string[][] = [];
  let wildcards = 0;
  for (const pattern of patterns) {
    const parts = pattern
      // Adjacent wildcards are equivalent to one wildcard: `*` if there is a `*`, else `%`.
      .replaceAll(/[%*]+/g, (run) => (run.includes('*') ? '*' : '%'))
      .split(/([%*])/)
      .filter((part) => part !== '');
    const count = parts.filter(isWildcard).length;
    if (count === 0) plain.add(pattern.replace(INBOX, 'INBOX'));
    else if ((wildcards += count) <= MAX_WILDCARDS) wild.push(parts);
  }
  return (name) => plain.has(name) || wild.some((parts) => fits(name, parts));
}

/** INBOX is case-insensitive (RFC 9051, section 5.1). */
const INBOX = /^inbox(?=\/|$)/i;

function isWildcard(part: string): boolean {
  return part === '*' || part === '%';
}

/**
 * Tracks all positions where the next part may begin, so that matching a part takes time linear in the length of the name, without
 * backtracking.
 */
function fits(name: string, parts: readonly string[]): boolean {
  const caseless = INBOX.test(name) ? 'INBOX'.length : 0;
  let positions = new Set([0]);
  for (const part of parts) {
    const next = new Set<number>();
    for (const position of positions) {
      if (!isWildcard(part)) {
        if (matchesAt(name, part, position, caseless)) next.add(position + part.length);
        continue;
      }
      for (let at = position; at <= name.length && !next.has(at); at++) {
        next.add(at);
        if (part === '%' && name[at] === '/') break;
      }
    }
    positions = next;
  }
  return positions.has(name.length);
}

/** Whether `part` is at a position of a name. @param caseless the number of case-insensitive characters at the start of the name */
function matchesAt(name: string, part: string, position: number, caseless: number): boolean {
  if (position >= caseless) return name.startsWith(part, position);
  const end = caseless - position;
  const begin = name.slice(position, caseless).slice(0, part.length);
  return (
    begin.toUpperCase() === part.slice(0, end).toUpperCase() && name.startsWith(part.slice(end), caseless)
  );
}
