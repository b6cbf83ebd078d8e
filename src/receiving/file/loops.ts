/** Detects mail that loops between servers that forward it to each other (RFC 5321, section 6.3). */

/**
 * A message with more `Received` fields than this, or with more `Delivered-To` fields, loops. Every server on the path adds a `Received`
 * field, and a server that delivers to a mailbox also adds a `Delivered-To` field.
 */
const MAX_HOPS = 50;
/** The number of octets checked at the beginning of the header. */
const MAX_HEADER_OCTETS = 1024 * 1024;

export interface Hops {
  isTooMany: boolean;
  /** The number of `Received` fields, at most one more than `MAX_HOPS`. */
  received: number;
  hasMessageId: boolean;
  /** The addresses of earlier deliveries, in lower case. */
  deliveredTo: ReadonlySet<string>;
}

const HOP = /^(?:(received)|delivered-to)[ \t]*:[ \t]*([^\r\n]*)/gim;
const MESSAGE_ID = /^message-id[ \t]*:/im;

/** Takes time proportional to the header: a few milliseconds for the longest one. */
export function readHops(raw: Buffer): Hops {
  const end = raw.indexOf('\r\n\r\n');
  const header = raw.toString('latin1', 0, Math.min(end === -1 ? raw.length : end, MAX_HEADER_OCTETS));
  const hasMessageId = MESSAGE_ID.test(header);
  let received = 0;
  let delivered = 0;
  const deliveredTo = new Set<string>();
  for (const [, isReceived, value = ''] of header.matchAll(HOP)) {
    if (isReceived !== undefined) received += 1;
    else {
      delivered += 1;
      deliveredTo.add(Buffer.from(value.trim(), 'latin1').toString().toLowerCase());
    }
    // Attack: a header that consists only of these fields would fill the set.
    if (received > MAX_HOPS || delivered > MAX_HOPS)
      return { isTooMany: true, received, hasMessageId, deliveredTo };
  }
  return { isTooMany: false, received, hasMessageId, deliveredTo };
}

/** Whether a message was already delivered to this address. */
export function isLoop({ isTooMany, deliveredTo }: Hops, address: string): boolean {
  return isTooMany || deliveredTo.has(address.toLowerCase());
}
