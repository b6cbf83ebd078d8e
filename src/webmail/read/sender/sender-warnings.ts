/** What gives a sender away who wants to pass for another. Few rules, each of which says what it saw. */
import { parse } from 'tldts';
import type { MailMessageSummary } from '../../../contract/mail/conversations.ts';
import { seenText } from '../seen-text.ts';
import type { AuthenticationWords } from './authentication-words.ts';
import { isDeceptive, skeletonOf } from '../links/look-alike.ts';

export interface MailWarning {
  kind: 'forged' | 'look-alike' | 'name' | 'reply-to' | 'member' | 'link' | 'file';
  text: string;
}

/** Whom the reader knows. */
export interface KnownPeople {
  /** Domains of the project, and of the mailbox. */
  domains: readonly string[];
  /** Members with the same name as the sender. */
  namesakes: readonly { name: string; address: string }[];
}

/** Those that are imitated most. */
const WELL_KNOWN = (
  'paypal.com apple.com icloud.com microsoft.com outlook.com office.com live.com google.com gmail.com youtube.com amazon.com amazon.de amazon.co.uk ' +
  'facebook.com instagram.com whatsapp.com linkedin.com netflix.com spotify.com dropbox.com docusign.com docusign.net adobe.com github.com gitlab.com ' +
  'dhl.com dhl.de fedex.com ups.com usps.com hermes.de ebay.com ebay.de stripe.com coinbase.com binance.com wellsfargo.com chase.com citibank.com ' +
  'bankofamerica.com americanexpress.com hsbc.com barclays.co.uk santander.com ing.com deutsche-bank.de sparkasse.de commerzbank.de postbank.de ' +
  'telekom.de vodafone.com att.com verizon.com slack.com zoom.us salesforce.com intuit.com irs.gov revolut.com wise.com airbnb.com booking.com uber.com'
).split(' ');
const ADDRESS = /[\p{L}\p{N}._%+-]{1,64}@((?:[\p{L}\p{N}-]{1,63}\.){1,8}[\p{L}]{2,24})/u;

type Sender = Pick<MailMessageSummary, 'from' | 'reply_to'>;
type Checked = Pick<AuthenticationWords, 'verdict' | 'text'>;

/** @param isList it says that it came over a mailing list, which may send answers to itself, and changes what was signed */
export function senderWarnings(
  { from, reply_to: replyTo }: Sender,
  checked: Checked,
  known: KnownPeople,
  isList: boolean,
): MailWarning[] {
  const [sender] = from;
  if (sender === undefined) return [];
  const domain = domainOf(sender.address);
  const isInside = known.domains.some((each) => ownerOf(each) === ownerOf(domain));
  const warnings: MailWarning[] = [];
  // Attack: mail of the reader, or of their boss, that somebody else wrote. Anybody can say that it came over a list.
  if (checked.verdict === 'fail' && (isInside || !isList))
    warnings.push({ kind: 'forged', text: checked.text });
  const imitated = imitatedBy(domain, known.domains);
  if (imitated !== null)
    warnings.push({ kind: 'look-alike', text: `${domain} looks like ${imitated}, and is not.` });
  const named = ADDRESS.exec(seenText(sender.name ?? ''));
  if (named !== null && ownerOf(named[1] as string) !== ownerOf(domain))
    warnings.push({
      kind: 'name',
      text: `The name of the sender shows ${named[0]}; the address is ${sender.address}.`,
    });
  const others = [...new Set(replyTo.map(({ address }) => domainOf(address)))].filter(
    (each) => ownerOf(each) !== ownerOf(domain),
  );
  if (others.length > 0 && !isList)
    warnings.push({
      kind: 'reply-to',
      text: `An answer goes to ${others.slice(0, 3).join(', ')}, not to ${domain}.`,
    });
  const [member] = known.namesakes;
  if (
    member !== undefined &&
    !isInside &&
    !known.namesakes.some(({ address }) => address.toLowerCase() === sender.address.toLowerCase())
  )
    warnings.push({
      kind: 'member',
      text: `It has the name of ${member.name}, whose address is ${member.address}; this one is ${sender.address}.`,
    });
  return warnings;
}

/** The known domain that one is written to look like; null: none. */
function imitatedBy(domain: string, ours: readonly string[]): string | null {
  const ascii = asciiOf(domain);
  const owner = parse(ascii).domain ?? ascii;
  const known = [...ours, ...WELL_KNOWN];
  if (known.some((each) => owner === (parse(each).domain ?? each))) return null;
  const skeleton = skeletonOf(owner);
  const found = known.find((each) => skeletonOf(parse(each).domain ?? each) === skeleton);
  if (found !== undefined) return found;
  return isDeceptive(ascii) ? 'another name, in letters of another script' : null;
}

function ownerOf(domain: string): string {
  const ascii = asciiOf(domain);
  return parse(ascii).domain ?? ascii;
}

function asciiOf(domain: string): string {
  return URL.parse(`https://${domain}`)?.hostname ?? domain.toLowerCase();
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}
