const LF = 0x0a;
const FIELD = /^(?:resent-)?bcc[ \t]*:/i;
const FOLDED = /^[ \t]/;
const EMPTY = /^\r?\n?$/;
/** The maximum number of octets read from a header. Submission accepts only smaller headers. */
const MAX_HEADER = 1_048_576;
/** The number of characters read from each line: enough to recognize the field name. */
const MAX_START = 32;

/**
 * Removes Bcc before a message is shown to other people, because only the sender's copy may have the field.
 * @returns the pieces of the message, in order
 */
export function withoutBcc(raw: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  let keptTo = 0;
  let isLeftOut = false;
  for (let at = 0; at < Math.min(raw.length, MAX_HEADER); ) {
    const lineEnd = raw.indexOf(LF, at);
    const end = lineEnd === -1 ? raw.length : lineEnd + 1;
    const line = raw.toString('latin1', at, Math.min(end, at + MAX_START));
    if (EMPTY.test(line)) break;
    if (!FOLDED.test(line)) isLeftOut = FIELD.test(line);
    if (isLeftOut) {
      if (at > keptTo) pieces.push(raw.subarray(keptTo, at));
      keptTo = end;
    }
    at = end;
  }
  return [...pieces, raw.subarray(keptTo)];
}
