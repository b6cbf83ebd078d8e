/**
 * Reads the header in which a proxy names the client, at the start of a connection (HAProxy, "The PROXY protocol versions 1 and 2", 2020).
 * Supports version 1, a line of text, and version 2, a binary block.
 */
import ipaddr from 'ipaddr.js';
import type { ReadHeader } from './header.ts';
import { isIPv4, isIPv6 } from 'node:net';

/** The maximum length of a header in text form, with CRLF. */
const MAX_LINE_OCTETS = 107;

const STARTS = ['PROXY TCP4 ', 'PROXY TCP6 ', 'PROXY UNKNOWN'];

/** A number without leading zeros, so that each port has only one spelling. */
const PORT = /^(?:0|[1-9]\d{0,4})$/;

const MAX_PORT = 65_535;

/** The signature of the binary form (PROXY protocol, section 2.2). */
const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
/** The octets of the fixed part of a binary header: signature, version and command, family, length. */
const FIXED_OCTETS = 16;
/**
 * The maximum size of a binary header. Additional fields have a few hundred octets (PROXY protocol, section 2.2.7). Attack: a header of 64
 * KB on every connection.
 */
export const MAX_HEADER_OCTETS = 2_048;
const COMMANDS = { local: 0x20, proxy: 0x21 } as const;
const TCP4 = { family: 0x11, addressOctets: 4, blockOctets: 12 };
const TCP6 = { family: 0x21, addressOctets: 16, blockOctets: 36 };

/** Reads the header from all octets that a connection has received so far. A pure function. */
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
  // Unix sockets, datagrams and future families have no usable address.
  if (family === undefined) return { source: null, octets: length };
  if (length < FIXED_OCTETS + family.blockOctets) return 'malformed';
  const address = octets.subarray(FIXED_OCTETS, FIXED_OCTETS + family.addressOctets);
  // An IPv4-mapped IPv6 address is converted to IPv4, so that each client has one address.
  return { source: ipaddr.process(ipaddr.fromByteArray([...address]).toString()).toString(), octets: length };
}

/** Version 1: a line of text (HAProxy, "The PROXY protocol versions 1 and 2", 2020, section 2.1). */
function readLineHeader(octets: Buffer): ReadHeader {
  const text = octets.toString('latin1', 0, MAX_LINE_OCTETS);
  const start = STARTS.find((one) => text.startsWith(one) || one.startsWith(text));
  if (start === undefined) return 'none';
  const end = text.indexOf('\r\n');
  if (end === -1) return text.length < MAX_LINE_OCTETS ? 'incomplete' : 'malformed';
  const length = end + 2;
  const line = text.slice(0, end);
  // The rest of the line after UNKNOWN must be ignored.
  if (/^PROXY UNKNOWN(?: |$)/.test(line)) return { source: null, octets: length };
  const [, family, source = '', destination = '', sourcePort = '', destinationPort = '', ...more] =
    line.split(' ');
  const isAddress = family === 'TCP4' ? isIPv4 : isPlainIPv6;
  const isWhole =
    isAddress(source) && isAddress(destination) && isPort(sourcePort) && isPort(destinationPort);
  if (!isWhole || more.length > 0) return 'malformed';
  return { source: ipaddr.process(source).toString(), octets: length };
}

/** Whether a text is an IPv6 address without a zone, which would only be valid on the machine of the proxy. */
function isPlainIPv6(text: string): boolean {
  return isIPv6(text) && !text.includes('%');
}

function isPort(text: string): boolean {
  return PORT.test(text) && Number(text) <= MAX_PORT;
}
