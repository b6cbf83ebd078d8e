/** Parses responses from an IMAP server (RFC 9051, section 9). Shares no code with the service. */

/** An atom or number as text, a string without its quotes, NIL as null, or a list. */
export type Token = string | null | Token[];

/**
 * Splits the first response, with its literals, from the octets of a connection.
 * @returns null if the response is not complete yet
 */
export function takeAnswer(octets: Buffer): { text: string; rest: Buffer } | null {
  for (let at = 0; ; ) {
    const end = octets.indexOf('\r\n', at);
    if (end === -1) return null;
    const literal = /\{(\d+)\}$/.exec(octets.toString('latin1', at, end));
    at = end + 2;
    if (literal === null) return { text: octets.toString('latin1', 0, end), rest: octets.subarray(at) };
    at += Number(literal[1]);
    if (octets.length < at) return null;
  }
}

/** @throws Error if the text is not a list of tokens */
export function readTokens(text: string): Token[] {
  let at = 0;
  const list = (end: string | undefined): Token[] => {
    const tokens: Token[] = [];
    for (;;) {
      while (text[at] === ' ') at++;
      if (text[at] === end) return tokens;
      if (at >= text.length) throw new Error(`a list does not end: ${text}`);
      tokens.push(token());
    }
  };
  const token = (): Token => {
    if (text[at] === '(') {
      at += 1;
      const inside = list(')');
      at += 1;
      return inside;
    }
    if (text[at] === '"') {
      let value = '';
      for (at += 1; text[at] !== '"'; at++) {
        if (text[at] === '\\') at += 1;
        if (at >= text.length) throw new Error(`a string does not end: ${text}`);
        value += text[at];
      }
      at += 1;
      return value;
    }
    const literal = /^~?\{(\d+)\}\r\n/.exec(text.slice(at, at + 20));
    if (literal !== null) {
      const from = at + literal[0].length;
      at = from + Number(literal[1]);
      return text.slice(from, at);
    }
    // Sections are part of their atom: BODY[HEADER.FIELDS (SUBJECT)].
    const atom = /^(?:[^ ()[\]"]|\[[^\]]*\])+/.exec(text.slice(at))?.[0];
    if (atom === undefined) throw new Error(`no token at ${at}: ${text}`);
    at += atom.length;
    return atom === 'NIL' ? null : atom;
  };
  return list(undefined);
}

/** Parses a set such as `1:3,7` to numbers. */
export function readSet(text: string): number[] {
  return text.split(',').flatMap((range) => {
    const [first, last = first] = range.split(':').map(Number) as [number, number?];
    const [low, high] = first <= last ? [first, last] : [last, first];
    return Array.from({ length: high - low + 1 }, (_, at) => low + at);
  });
}

/** Writes numbers as a set such as `1:3,7`. There must be at least one number. */
export function writeSet(numbers: Iterable<number>): string {
  const ranges: [number, number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && number <= last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}:${last}`)).join(',');
}
