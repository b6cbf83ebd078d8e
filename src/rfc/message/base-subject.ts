const BLOB = /^\[[^[\]]*\]\s*/;
const REPLY = /^(?:\[[^[\]]*\]\s*)*(?:re|fwd?)\s*(?:\[[^[\]]*\]\s*)?:\s*/i;
const TRAILER = /(?:\s|\(fwd\))$/i;
const FORWARDED = '[fwd:';
/** Taking prefixes away one by one takes time that grows with the square of the length. */
const MAX_LENGTH = 1_000;

/** What is left of a decoded subject without Re:, Fwd: and their kind (RFC 5256, section 2.1). */
export function baseSubject(subject: string): string {
  let rest = subject.slice(0, MAX_LENGTH).replace(/\s+/g, ' ');
  for (;;) {
    while (TRAILER.test(rest)) rest = rest.replace(TRAILER, '');
    for (let before = ''; before !== rest; ) {
      before = rest;
      rest = rest.trimStart().replace(REPLY, '');
      const withoutBlob = rest.replace(BLOB, '');
      if (withoutBlob !== '') rest = withoutBlob;
    }
    if (!rest.toLowerCase().startsWith(FORWARDED) || !rest.endsWith(']')) return rest;
    rest = rest.slice(FORWARDED.length, -1);
  }
}
