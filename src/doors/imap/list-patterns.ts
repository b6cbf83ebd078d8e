/** Which names the patterns of LIST name (RFC 9051, section 6.3.9). */

/** In all patterns of a command; what has more matches nothing, as the RFC lets it. Each one may have to look at every name from every place in it. */
const MAX_WILDCARDS = 40;

/** @param patterns with the reference before them; in place of a character, `*` is any text and `%` any without `/` */
export function namesMatching(patterns: readonly string[]): (name: string) => boolean {
  const plain = new Set<string>();
  const wild: string[][] = [];
  let wildcards = 0;
  for (const pattern of patterns) {
    const parts = pattern
      // Several wildcards are as one: a `*` beside them takes all.
      .replaceAll(/[%*]+/g, (run) => (run.includes('*') ? '*' : '%'))
      .split(/([%*])/)
      .filter((part) => part !== '');
    const count = parts.filter(isWildcard).length;
    if (count === 0) plain.add(pattern.replace(INBOX, 'INBOX'));
    else if ((wildcards += count) <= MAX_WILDCARDS) wild.push(parts);
  }
  return (name) => plain.has(name) || wild.some((parts) => fits(name, parts));
}

/** Case does not count there (RFC 9051, section 5.1). */
const INBOX = /^inbox(?=\/|$)/i;

function isWildcard(part: string): boolean {
  return part === '*' || part === '%';
}

/** Follows all places in the name that a part may begin at, together: time is that of the name for each part. */
function fits(name: string, parts: readonly string[]): boolean {
  const caseless = INBOX.test(name) ? 'INBOX'.length : 0;
  let places = new Set([0]);
  for (const part of parts) {
    const next = new Set<number>();
    for (const place of places) {
      if (!isWildcard(part)) {
        if (stands(name, part, place, caseless)) next.add(place + part.length);
        continue;
      }
      for (let at = place; at <= name.length && !next.has(at); at++) {
        next.add(at);
        if (part === '%' && name[at] === '/') break;
      }
    }
    places = next;
  }
  return places.has(name.length);
}

/** Whether a text is at a place of a name. @param caseless of so many characters at the begin of the name case does not count */
function stands(name: string, part: string, place: number, caseless: number): boolean {
  if (place >= caseless) return name.startsWith(part, place);
  const end = caseless - place;
  const begin = name.slice(place, caseless).slice(0, part.length);
  return (
    begin.toUpperCase() === part.slice(0, end).toUpperCase() && name.startsWith(part.slice(end), caseless)
  );
}
