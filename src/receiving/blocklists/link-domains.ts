/** The domains of a message's links that domain lists are asked about. */
import { parse as parseHost } from 'tldts';
import type { SpamContent } from '../spam/mail.ts';

/** The maximum number of domains of one message. Each is a query to every list. */
const MAX_DOMAINS = 20;
/** The maximum number of names of one domain. Each is compared with the domains of this installation. */
const MAX_NAMES = 20;

export interface LinkDomain {
  /** The registered domain. */
  domain: string;
  /** The domain, and the names below it that links contain, with the names in between. */
  names: readonly string[];
}

/** Top-level domains of names that are not public, although the Public Suffix List has them. */
const NOT_PUBLIC: ReadonlySet<string> = new Set(['arpa', 'onion']);

/**
 * Domains that occur in a large part of all mail and are never listed as a whole. Without this set, most queries would be about them, and a list
 * that contains one of them by mistake would count against all of that mail.
 */
// cspell:disable
const EXEMPT: ReadonlySet<string> = new Set(
  `adobe.com akamai.net amazon.com amazon.co.uk amazon.de amazonaws.com aol.com apple.com bing.com booking.com cloudflare.com dropbox.com
  ebay.com ebay.de facebook.com fbcdn.net fedex.com github.com gitlab.com gmail.com google.com google.de googleapis.com gravatar.com gstatic.com
  hotmail.com icloud.com ietf.org instagram.com linkedin.com live.com meta.com microsoft.com microsoftonline.com mozilla.org netflix.com
  office.com office365.com openstreetmap.org outlook.com paypal.com pinterest.com reddit.com schema.org sharepoint.com skype.com slack.com
  spotify.com stripe.com teams.com telegram.org threads.net tiktok.com twitter.com ups.com vimeo.com w3.org whatsapp.com wikimedia.org
  wikipedia.org windows.com x.com yahoo.com youtu.be youtube.com zoom.us`.split(/\s+/),
);
// cspell:enable

/**
 * The domain under which a host was registered, such as `example.co.uk`, or `name.github.io` if anyone can register names below the domain.
 * @returns null for an IP address, and for a name without a public suffix: names of an internal network must not become public
 */
export function registeredDomain(host: string): string | null {
  const { domain, isIcann, isPrivate } = parseHost(host, { allowPrivateDomains: true });
  const isPublic = isIcann === true || isPrivate === true;
  return domain !== null && isPublic && !NOT_PUBLIC.has(domain.slice(domain.lastIndexOf('.') + 1))
    ? domain
    : null;
}

/** At most 20 registered domains, without exempt ones. If there are more, they are the first and the last ones. */
export function linkDomainsOf({ links }: Pick<SpamContent, 'links'>): LinkDomain[] {
  const found = new Map<string, Set<string>>();
  for (const { url } of links) {
    const domain = registeredDomain(url.hostname);
    if (domain === null || EXEMPT.has(domain)) continue;
    const names = found.get(domain) ?? new Set([domain]);
    found.set(domain, names);
    let name = url.hostname.replace(/\.$/, '');
    for (; names.size < MAX_NAMES && name.length > domain.length; name = name.slice(name.indexOf('.') + 1))
      names.add(name);
  }
  const all = [...found].map(([domain, names]) => ({ domain, names: [...names] }));
  return all.length <= MAX_DOMAINS ? all : [...all.slice(0, MAX_DOMAINS / 2), ...all.slice(-MAX_DOMAINS / 2)];
}
