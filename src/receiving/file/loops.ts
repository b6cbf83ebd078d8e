/** Mail that goes round between servers that pass it on to each other (RFC 5321, section 6.3). */

/** Each server on the way adds a `Received`, and each that has the mailbox a `Delivered-To`. */
const MAX_HOPS = 50;
/** Fields further behind are not looked at. */
const MAX_HEADER_OCTETS = 1024 * 1024;

export interface Hops {
  isTooMany: boolean;
  /** Where it was delivered before, in lower case. */
  deliveredTo: ReadonlySet<string>;
}

const HOP = /^(?:(received)|delivered-to)[ \t]*:[ \t]*([^\r\n]*)/gim;

/** In time proportional to the header, some milliseconds for the longest one. */
export function readHops(raw: Buffer): Hops {
  const end = raw.indexOf('\r\n\r\n');
  const header = raw.toString('latin1', 0, Math.min(end === -1 ? raw.length : end, MAX_HEADER_OCTETS));
  let received = 0;
  let delivered = 0;
  const deliveredTo = new Set<string>();
  for (const [, isReceived, value = ''] of header.matchAll(HOP)) {
    if (isReceived !== undefined) received += 1;
    else {
      delivered += 1;
      deliveredTo.add(Buffer.from(value.trim(), 'latin1').toString().toLowerCase());
    }
    // Attack: a header of nothing else.
    if (received > MAX_HOPS || delivered > MAX_HOPS) return { isTooMany: true, deliveredTo };
  }
  return { isTooMany: false, deliveredTo };
}

/** Whether a message was here before. @param address that it is for */
export function isLoop({ isTooMany, deliveredTo }: Hops, address: string): boolean {
  return isTooMany || deliveredTo.has(address.toLowerCase());
}
