/** Detects host names that imitate a well-known name. */
import { parse } from 'tldts';
import { isDeceptive, skeletonOf } from './look-alike.ts';

/** Names that attackers often imitate. */
const WELL_KNOWN = (
  'paypal.com apple.com icloud.com microsoft.com outlook.com office.com live.com google.com gmail.com youtube.com amazon.com amazon.de amazon.co.uk ' +
  'facebook.com instagram.com whatsapp.com linkedin.com netflix.com spotify.com dropbox.com docusign.com docusign.net adobe.com github.com gitlab.com ' +
  'dhl.com dhl.de fedex.com ups.com usps.com hermes.de ebay.com ebay.de stripe.com coinbase.com binance.com wellsfargo.com chase.com citibank.com ' +
  'bankofamerica.com americanexpress.com hsbc.com barclays.co.uk santander.com ing.com deutsche-bank.de sparkasse.de commerzbank.de postbank.de ' +
  'telekom.de vodafone.com att.com verizon.com slack.com zoom.us salesforce.com intuit.com irs.gov revolut.com wise.com airbnb.com booking.com uber.com'
).split(' ');
const WELL_KNOWN_BY_SKELETON = new Map(WELL_KNOWN.map((name) => [skeletonOf(name), name]));

/**
 * Describes how a name imitates a known name, as the predicate of a sentence about the imitating name; null if the name imitates no known
 * name.
 * @param domain the name, as in an address or a URL
 * @param ours domains that the reader of the message knows, in addition to the well-known names
 */
export function imitation(domain: string, ours: readonly string[]): string | null {
  const ascii = asciiOf(domain);
  const owner = ownerOf(ascii);
  const known = ours.map(ownerOf);
  if (WELL_KNOWN.includes(owner) || known.includes(owner)) return null;
  const skeleton = skeletonOf(owner);
  const found = known.find((each) => skeletonOf(each) === skeleton) ?? WELL_KNOWN_BY_SKELETON.get(skeleton);
  if (found !== undefined) return `looks like ${found} but is not`;
  // Attack: people read a name from the beginning, but the end of the name identifies the owner.
  const inFront = `.${ascii.slice(0, -owner.length)}`;
  const shown = [...known, ...WELL_KNOWN].find(
    (each) => inFront.includes(`.${each}.`) || `.${ascii}`.includes(`.${each}-`),
  );
  if (shown !== undefined) return `contains ${shown} but belongs to ${owner}`;
  return isDeceptive(ascii) ? 'imitates another name with letters of another script' : null;
}

/** The registrable part of a domain name, in A-labels. */
export function ownerOf(domain: string): string {
  const ascii = asciiOf(domain);
  return parse(ascii).domain ?? ascii;
}

function asciiOf(domain: string): string {
  return URL.parse(`https://${domain}`)?.hostname ?? domain.toLowerCase();
}
