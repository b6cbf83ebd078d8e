const LF = 0x0a;
const FIELD = /^(?:(?:resent-)?bcc[ \t]*:|x-posthorn-)/i;
const FOLDED = /^[ \t]/;
const EMPTY = /^\r?\n?$/;
/** The maximum number of octets read from a header. Submission accepts only smaller headers. */
const MAX_HEADER = 1_048_576;
/** The number of characters read from each line: enough to recognize the private fields. */
const MAX_START = 32;

/**
 * Removes the fields that only the owners of a message may see before the message is sent to other people: Bcc, and the fields of this
 * service, because the copy in Sent of a shared mailbox names the member who sent the message (`SENT_BY`).
 * @returns the pieces of the message, in order
 */
export function withoutPrivateFields(raw: Buffer): Buffer[] {
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
