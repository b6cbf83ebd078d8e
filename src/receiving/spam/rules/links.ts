/** Spam rules about link targets. */
import { isIP } from 'node:net';
import { parse as parseHost } from 'tldts';
import { uts46 } from '../../../rfc/address/uts46.ts';
import type { SpamLink, Mail } from '../mail.ts';
import { mixesScripts } from './letters.ts';

function some(matches: (link: SpamLink) => boolean): (mail: Mail) => boolean {
  return ({ links }) => links.some(matches);
}

export const pointsToAddress = some(({ url }) => isIP(url.hostname.replaceAll(/[[\]]/g, '')) !== 0);

export const hasUserInfo = some(({ url }) => url.username !== '');

/** Links to `localhost` are exempt. Only a local service creates such links, for tracking, and its port is rarely a usual one. */
export const hasOddPort = some(
  ({ url }) => url.hostname !== 'localhost' && !['', '80', '443', '8080', '8443'].includes(url.port),
);

/** Options for parsing invalid names too, because an invalid name can also imitate a known site. */
const LENIENT = {
  checkBidi: false,
  checkHyphens: false,
  checkJoiners: false,
  useSTD3ASCIIRules: false,
  verifyDNSLength: false,
  transitionalProcessing: false,
};

/** `xn--` names with letters of two scripts: `аpple.com` with a Cyrillic first letter. */
export const looksAlike = some(
  ({ url }) => url.hostname.includes('xn--') && mixesScripts(uts46().toUnicode(url.hostname, LENIENT).domain),
);

/** A known domain as a subdomain, such as `paypal.com.evil.example`. A small screen cuts off the end of the name. */
export const hasDomainWithin = some(({ url }) =>
  /(?:^|\.)[a-z0-9-]{2,40}\.(?:com|net|org|gov|de|co\.uk|fr|it)$/.test(
    parseHost(url.hostname).subdomain ?? '',
  ),
);

const SHORTENERS: ReadonlySet<string> = new Set(
  'bit.ly tinyurl.com t.ly is.gd v.gd ow.ly cutt.ly rebrand.ly shorturl.at rb.gy goo.su tiny.cc s.id bl.ink'.split(
    ' ',
  ),
);
export const isShortened = some(({ domain }) => SHORTENERS.has(domain));

/** Top-level domains below which a domain costs almost nothing. Such domains are rare in honest mail. */
const CHEAP: ReadonlySet<string> = new Set(
  'bid buzz cam cfd click cyou download fit gdn gq hair icu loan men ml monster mov mom quest racing rest sbs stream surf tk top trade win work xin xyz zip'.split(
    ' ',
  ),
);
export const isCheapName = some(({ domain }) => CHEAP.has(domain.slice(domain.lastIndexOf('.') + 1)));

/** The text of the link is the name of another site. */
export const showsOtherSite = some(({ domain, text }) => {
  const shown = /^(?:https?:\/\/)?([a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,20})(?:[/?#:].*)?$/i.exec(text)?.[1];
  if (shown === undefined) return false;
  const { domain: site, isIcann } = parseHost(shown.toLowerCase());
  return isIcann === true && site !== null && site !== domain;
});
