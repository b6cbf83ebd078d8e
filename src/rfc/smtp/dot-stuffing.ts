const LF = 0x0a;
const CR = 0x0d;
const DOT = 0x2e;

/**
 * Adds a second dot to lines that begin with a dot, for sending after DATA (RFC 5321, section 4.5.2). Does not add the final dot. Returns
 * the same `Buffer` if nothing changes.
 *
 * Also doubles a dot after a bare CR or LF, although messages should contain neither. Attack: a server that reads a bare CR or LF as a line
 * end finds the end of the data inside the message (SMTP smuggling, CVE-2023-51764).
 */
export function dotStuff(data: Buffer): Buffer {
  // Nearly every message needs only these two native searches, which are ten times faster than the loops below.
  if (data[0] !== DOT && !data.includes('\n.') && !data.includes('\r.')) return data;

  let dots = 0;
  for (let at = 0; at < data.length; at += 1) if (isStuffed(data, at)) dots += 1;
  const stuffed = Buffer.allocUnsafe(data.length + dots);
  let to = 0;
  for (let at = 0; at < data.length; at += 1) {
    if (isStuffed(data, at)) stuffed[to++] = DOT;
    stuffed[to++] = data[at] ?? 0;
  }
  return stuffed;
}

/** The text to send after the stuffed message: CRLF if the last line has no CRLF, and the final dot (RFC 5321, section 4.1.1.4). */
export function endOfData(data: Buffer): string {
  return data.length === 0 || (data.at(-2) === CR && data.at(-1) === LF) ? '.\r\n' : '\r\n.\r\n';
}

function isStuffed(data: Buffer, at: number): boolean {
  if (data[at] !== DOT) return false;
  return at === 0 || data[at - 1] === LF || data[at - 1] === CR;
}
