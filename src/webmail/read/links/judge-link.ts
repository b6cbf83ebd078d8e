/** Determines the target of a link, and whether the text of the link hides the target. */
import { isIP } from 'node:net';
import { domainToUnicode } from 'node:url';
import { parse } from 'tldts';
import { seenText } from '../seen-text.ts';
import { imitation, ownerOf } from './imitation.ts';
import { isDeceptive } from './look-alike.ts';

/** A link that may be followed. */
export interface JudgedLink {
  /** The URL as a browser parses it. */
  url: string;
  /** The target in readable form: the host name, or the recipient of a `mailto:` link. */
  leadsTo: string;
  /** The problem, as the end of a sentence with the link as its subject. Null if the link has no problem. */
  problem: string | null;
}

const MAX_URL = 8_192;
/**
 * A host name in the text of a link, which may have words and punctuation around it. Does not match within a path or a query, next to an
 * `@`, or within a longer name.
 */
const SHOWN_HOST =
  /(?<![\p{L}\p{N}\p{M}_@./\\=&?#%:~+-])(https?:\/\/|www\.)?((?:[\p{L}\p{N}\p{M}_-]{1,63}\.){1,10}(?:xn--[a-z0-9-]{2,59}|\p{L}[\p{L}\p{M}]{1,23}))(?![\p{L}\p{N}\p{M}_@-]|\.[\p{L}\p{N}])/giu;
/** File name extensions that are also top-level domains. */
const FILE_ENDS = /\.(?:md|sh|py|rs|pl|ps|zip|mov|app|cc|so|gz|ai|pub|in|me|ms|doc|name|info|java)$/i;

/** The beginning or end of a reversed URL. Few ordinary words match. */
const REVERSED = /\/\/:s?ptth|\.www(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])(?:moc|gro|ude|vog)\.(?=[\p{L}\p{N}])/iu;

/**
 * @param href the address in the message
 * @param text the text of the link that the reader sees
 * @param parted the same text with a space wherever a part may be hidden
 * @returns null if the link must not be followed
 */
export function judgeLink(href: string, text: string, parted = text): JudgedLink | null {
  if (href.length > MAX_URL) return null;
  const url = URL.parse(href.startsWith('//') ? `https:${href}` : href);
  if (url === null) return null;
  if (url.protocol === 'mailto:') {
    const leadsTo = decoded(url.pathname).slice(0, 200);
    return { url: url.href, leadsTo, problem: null };
  }
  if (!/^https?:$/.test(url.protocol) || url.hostname === '') return null;
  const leadsTo = readable(url.hostname);
  return { url: url.href, leadsTo, problem: problemOf(url, leadsTo, new Set([text, parted])) };
}

function problemOf(url: URL, leadsTo: string, texts: ReadonlySet<string>): string | null {
  const { hostname } = url;
  if (url.username !== '' || url.password !== '')
    return `leads to ${leadsTo}; the part before the @ is meant to mislead you.`;
  if (isIP(hostname.replaceAll(/[[\]]/g, '')) > 0)
    return `leads to an IP address (${leadsTo}) instead of a host name.`;
  if (isDeceptive(hostname)) return `leads to ${hostname}, which imitates another name.`;
  const owner = ownerOf(hostname);
  for (const text of texts) {
    const other = shownHosts(text).find((shown) => ownerOf(shown) !== owner);
    if (other !== undefined) return `shows ${other} but leads to ${leadsTo}.`;
  }
  const imitates = imitation(hostname, []);
  return imitates === null ? null : `leads to ${leadsTo}, which ${imitates}.`;
}

/** The host names in the text of a link, without duplicates. Attack: a correct but invisible name before a false name. */
function shownHosts(text: string): string[] {
  const seen = seenText(text);
  const hosts = hostsIn(seen);
  return hosts.length === 0 && REVERSED.test(seen) ? hostsIn([...seen].toReversed().join('')) : hosts;
}

function hostsIn(seen: string): string[] {
  const hosts = new Set<string>();
  for (const [, scheme, host = ''] of seen.matchAll(SHOWN_HOST)) {
    if (scheme === undefined && FILE_ENDS.test(host)) continue;
    const { hostname, isIcann } = parse(host);
    if (hostname !== null && isIcann === true) hosts.add(host.toLowerCase());
  }
  return [...hosts];
}

/** The host name for display. A deceptive name stays in A-labels, which expose the deception. */
function readable(hostname: string): string {
  return isDeceptive(hostname) ? hostname : domainToUnicode(hostname) || hostname;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
