/**
 * The header with which a proxy begins a connection, to say for which client it is (HAProxy, "The PROXY protocol versions 1 and 2", 2020).
 * Both versions: a line of text, and a binary block.
 */
import ipaddr from 'ipaddr.js';
import type { ReadHeader } from './header.ts';
import { readLineHeader } from './read-line-header.ts';

/** Section 2.2. */
const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
/** The fixed part: signature, version and command, family, length. */
const FIXED_OCTETS = 16;
/** Of all of a binary header. Additional fields (section 2.2.7) have a few hundred octets. Attack: a header of 64 KB on every connection. */
export const MAX_HEADER_OCTETS = 2_048;
const COMMANDS = { local: 0x20, proxy: 0x21 } as const;
const TCP4 = { family: 0x11, addressOctets: 4, blockOctets: 12 };
const TCP6 = { family: 0x21, addressOctets: 16, blockOctets: 36 };

/** Reads the header at the start of what a connection has sent up to now. Pure. */
export function readProxyHeader(octets: Buffer): ReadHeader {
  const known = Math.min(octets.length, SIGNATURE.length);
  if (!octets.subarray(0, known).equals(SIGNATURE.subarray(0, known))) return readLineHeader(octets);
  if (octets.length < FIXED_OCTETS) return 'incomplete';
  const command = octets.readUInt8(12);
  const length = FIXED_OCTETS + octets.readUInt16BE(14);
  if (command !== COMMANDS.local && command !== COMMANDS.proxy) return 'malformed';
  if (length > MAX_HEADER_OCTETS) return 'malformed';
  if (octets.length < length) return 'incomplete';
  if (command === COMMANDS.local) return { source: null, octets: length };
  const family = [TCP4, TCP6].find((one) => one.family === octets.readUInt8(13));
  // Unix sockets, datagrams and families to come.
  if (family === undefined) return { source: null, octets: length };
  if (length < FIXED_OCTETS + family.blockOctets) return 'malformed';
  const address = octets.subarray(FIXED_OCTETS, FIXED_OCTETS + family.addressOctets);
  // An IPv4 address inside IPv6 becomes the IPv4 address, so that one client has one name.
  return { source: ipaddr.process(ipaddr.fromByteArray([...address]).toString()).toString(), octets: length };
}
