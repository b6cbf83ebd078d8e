/** Mail that goes round between servers that pass it on to each other (RFC 5321, section 6.3). */

/** Each server on the way adds one. */
const MAX_RECEIVED = 50;
/** Fields further behind are not looked at. */
const MAX_HEADER_OCTETS = 1024 * 1024;

export interface Hops {
  isTooMany: boolean;
  /** Where it was delivered before, in lower case. */
  deliveredTo: ReadonlySet<string>;
}

/** In time proportional to the header. */
export function readHops(raw: Buffer): Hops {
  const end = raw.indexOf('\r\n\r\n');
  const header = raw.toString('utf8', 0, Math.min(end === -1 ? raw.length : end, MAX_HEADER_OCTETS));
  let received = 0;
  const deliveredTo = new Set<string>();
  for (const line of header.split('\r\n')) {
    const [, name = '', value = ''] = /^(received|delivered-to)[ \t]*:[ \t]*(.*)$/i.exec(line) ?? [];
    if (name.toLowerCase() === 'received') received += 1;
    if (name.toLowerCase() === 'delivered-to') deliveredTo.add(value.trim().toLowerCase());
  }
  return { isTooMany: received > MAX_RECEIVED, deliveredTo };
}

/** Whether a message was here before. @param address that it is for */
export function isLoop({ isTooMany, deliveredTo }: Hops, address: string): boolean {
  return isTooMany || deliveredTo.has(address.toLowerCase());
}
