/** Version 1 of the PROXY protocol: a line of text (HAProxy, "The PROXY protocol versions 1 and 2", 2020, section 2.1). */
import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { ReadHeader } from './header.ts';

/** With its CRLF. */
const MAX_LINE_OCTETS = 107;
const STARTS = ['PROXY TCP4 ', 'PROXY TCP6 ', 'PROXY UNKNOWN'];
/** A number without zeros in front, so that each port has one form. */
const PORT = /^(?:0|[1-9]\d{0,4})$/;
const MAX_PORT = 65_535;

/** See `readProxyHeader`. */
export function readLineHeader(octets: Buffer): ReadHeader {
  const text = octets.toString('latin1', 0, MAX_LINE_OCTETS);
  const start = STARTS.find((one) => text.startsWith(one) || one.startsWith(text));
  if (start === undefined) return 'none';
  const end = text.indexOf('\r\n');
  if (end === -1) return text.length < MAX_LINE_OCTETS ? 'incomplete' : 'malformed';
  const length = end + 2;
  const line = text.slice(0, end);
  // Whatever follows UNKNOWN must be ignored.
  if (/^PROXY UNKNOWN(?: |$)/.test(line)) return { source: null, octets: length };
  const [, family, source = '', destination = '', sourcePort = '', destinationPort = '', ...more] =
    line.split(' ');
  const isAddress = family === 'TCP4' ? isIPv4 : isPlainIPv6;
  const isWhole =
    isAddress(source) && isAddress(destination) && isPort(sourcePort) && isPort(destinationPort);
  if (!isWhole || more.length > 0) return 'malformed';
  return { source: ipaddr.process(source).toString(), octets: length };
}

/** Without a zone: that means something on the proxy's machine alone. */
function isPlainIPv6(text: string): boolean {
  return isIPv6(text) && !text.includes('%');
}

function isPort(text: string): boolean {
  return PORT.test(text) && Number(text) <= MAX_PORT;
}
