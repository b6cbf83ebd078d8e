const CR = 0x0d;
const LF = 0x0a;

/**
 * Returns the message with CRLF after each line, including the last (RFC 5322, section 2.3). A bare LF and a bare CR also become CRLF, so
 * that all readers find the same lines. Returns the same buffer if nothing changes.
 */
export function withCrlf(raw: Buffer): Buffer {
  let bare = 0;
  for (let at = 0; at < raw.length; at++) {
    const octet = raw[at];
    if (octet === CR) {
      if (raw[at + 1] === LF) at++;
      else bare++;
    } else if (octet === LF) bare++;
  }
  const last = raw.at(-1);
  const isEnded = last === LF || last === CR;
  if (bare === 0 && isEnded) return raw;
  const lines = Buffer.allocUnsafe(raw.length + bare + (isEnded ? 0 : 2));
  let length = 0;
  for (let at = 0; at < raw.length; at++) {
    const octet = raw[at] as number;
    if (octet !== CR && octet !== LF) {
      lines[length++] = octet;
      continue;
    }
    if (octet === CR && raw[at + 1] === LF) at++;
    lines[length++] = CR;
    lines[length++] = LF;
  }
  if (!isEnded) {
    lines[length++] = CR;
    lines[length++] = LF;
  }
  return lines;
}
