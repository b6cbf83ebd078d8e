/** Where a link really leads, and whether it says so. */
import { isIP } from 'node:net';
import { domainToUnicode } from 'node:url';
import { parse } from 'tldts';
import { seenText } from '../seen-text.ts';
import { imitation, ownerOf } from './imitation.ts';
import { isDeceptive } from './look-alike.ts';

/** A link as it may be followed. */
export interface JudgedLink {
  /** As a browser reads it. */
  url: string;
  /** For people: the name of the host, or the address that is written to. */
  leadsTo: string;
  /** What is wrong, as the end of a sentence whose subject is the link; null: nothing is. */
  problem: string | null;
}

const MAX_URL = 8_192;
/**
 * A host name in the text of a link, with words and any punctuation around it. Not within a path or a query, before or after an `@`,
 * nor a part of a longer name.
 */
const SHOWN_HOST =
  /(?<![\p{L}\p{N}\p{M}_@./\\=&?#%:~+-])(https?:\/\/|www\.)?((?:[\p{L}\p{N}\p{M}_-]{1,63}\.){1,10}(?:xn--[a-z0-9-]{2,59}|\p{L}[\p{L}\p{M}]{1,23}))(?![\p{L}\p{N}\p{M}_@-]|\.[\p{L}\p{N}])/giu;
/** Ends of names of files that are domains of countries, too. */
const FILE_ENDS = /\.(?:md|sh|py|rs|pl|ps|zip|mov|app|cc|so|gz|ai|pub|in|me|ms|doc|name|info|java)$/i;

/** How a place begins or ends where its letters are put from right to left. Few words do. */
const REVERSED = /\/\/:s?ptth|\.www(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])(?:moc|gro|ude|vog)\.(?=[\p{L}\p{N}])/iu;

/**
 * @param href as in the message
 * @param text what its reader sees of it
 * @param parted the same with a space wherever something may hide what stands there
 * @returns null: it is no link that anybody should follow
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
    return `leads to ${leadsTo}; what stands before the @ is only there to look like a place.`;
  if (isIP(hostname.replaceAll(/[[\]]/g, '')) > 0)
    return `leads to the address of a machine (${leadsTo}), not to a name.`;
  if (isDeceptive(hostname)) return `leads to ${hostname}, which is written to look like another name.`;
  const owner = ownerOf(hostname);
  for (const text of texts) {
    const other = shownHosts(text).find((shown) => ownerOf(shown) !== owner);
    if (other !== undefined) return `shows ${other}, and leads to ${leadsTo}.`;
  }
  const imitates = imitation(hostname, []);
  return imitates === null ? null : `leads to ${leadsTo}, which ${imitates}.`;
}

/** The names that a text shows as the place where it leads, each once. Attack: one that is right, which nobody sees, before one that lies. */
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

/** Names that deceive stay A-labels: that is what gives them away. */
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
