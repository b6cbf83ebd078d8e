/**
 * Reads the client from which a server received a message: the `from` clause of a Received field (RFC 5321, section 4.4).
 *
 *   Received: from <name> (<comment with the address>) by <server> ...
 *
 * Servers write the address in several ways: Postfix and sendmail `(mx.acme.example [192.0.2.1])`, Exim `([192.0.2.1] helo=mx)` or `from
 * [192.0.2.1] (helo=mx)`, Exchange `(192.0.2.1)`, qmail `(HELO mx) (192.0.2.1)`. No address is read from the name in EHLO. Attack: the
 * client writes the address of another host as its name.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export interface ReceivedFrom {
  /** An IP address. An IPv4-mapped IPv6 address is converted to IPv4. */
  address: string;
  /** The name in the client's EHLO, or the client's DNS name if the field has only the DNS name. */
  helo: string;
}

/** The maximum length of a field. Longer fields are ignored. */
const MAX_OCTETS = 4_096;
/** The part of a comment that repeats text from the client, such as the EHLO name. */
const HELO_COMMENT = /\b(?:helo|ehlo|ident|identity|envelope-from|auth\w*)[= ]\s*\S+/gi;

/** @param value the value of the field, with line ends @returns null if the field does not clearly identify one client */
export function readReceivedFrom(value: string): ReceivedFrom | null {
  if (value.length > MAX_OCTETS) return null;
  const text = value.replaceAll(/\r?\n(?=[ \t])/g, '').trim();
  const start = /^from\s+([^\s()]+)/i.exec(text);
  if (start === null) return null;
  const [whole, name = ''] = start;
  const comments = leadingComments(text.slice(whole.length));
  if (comments === null) return null;
  const said = comments.map((comment) => /\b(?:helo|ehlo)[= ]\s*(\S+)/i.exec(comment)?.[1]).find(Boolean);
  const found = new Set(comments.flatMap((comment) => addressesIn(comment.replaceAll(HELO_COMMENT, ' '))));
  // If the client has no DNS name, Exim writes the address instead. It then always adds the HELO name, by which Exim is recognized here.
  if (found.size === 0 && said !== undefined && name.startsWith('['))
    addressesIn(name).forEach((one) => found.add(one));
  const [address, ...others] = found;
  return address === undefined || others.length > 0 ? null : { address, helo: said ?? name };
}

/** The comments between the name and `by`, without parentheses. Null if there is any other text, or if a comment does not end. */
function leadingComments(text: string): string[] | null {
  const comments: string[] = [];
  let rest = text.trimStart();
  while (rest.startsWith('(')) {
    const end = commentEnd(rest);
    if (end === null) return null;
    comments.push(rest.slice(1, end));
    rest = rest.slice(end + 1).trimStart();
  }
  return /^by\s/i.test(rest) ? comments : null;
}

/** The position of the parenthesis that closes the first parenthesis, or null. Ignores quotes, because the client may have sent them. */
function commentEnd(text: string): number | null {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
    if (depth === 0) return at;
  }
  return null;
}

function addressesIn(text: string): string[] {
  return text.split(/[\s,;()]+/).flatMap((word) => {
    const literal = /^\[(?:IPv6:)?([0-9a-f.:]+)\](?::\d{1,5})?$/i.exec(word)?.[1] ?? word;
    return isIP(literal) === 0 || literal.includes('%') ? [] : [ipaddr.process(literal).toString()];
  });
}
