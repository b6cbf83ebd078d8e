/** What gives a sender away who wants to pass for another. Few rules, each of which says what it saw. */
import type { MailMessageSummary } from '../../../contract/mail/conversations.ts';
import { seenText } from '../seen-text.ts';
import type { AuthenticationWords } from './authentication-words.ts';
import { imitation, ownerOf } from '../links/imitation.ts';
import { skeletonOf } from '../links/look-alike.ts';

export interface MailWarning {
  kind: 'forged' | 'look-alike' | 'name' | 'reply-to' | 'member' | 'link' | 'file';
  text: string;
}

/** Whom the reader knows. */
export interface KnownPeople {
  /** Of the project, and of the mailbox. */
  domains: readonly string[];
  /** Those of others with whom its owner has to do: written to, or in the directory that they see. */
  others: readonly string[];
  /** Addresses in the domain of the sender that were written to, in lower case. */
  written: readonly string[];
  /** Members with the same name as the sender. */
  namesakes: readonly { name: string; address: string }[];
}

const ADDRESS = /[\p{L}\p{N}._%+-]{1,64}@((?:[\p{L}\p{N}-]{1,63}\.){1,8}[\p{L}]{2,24})/gu;

type Sender = Pick<MailMessageSummary, 'from' | 'reply_to'>;
type Checked = Pick<AuthenticationWords, 'verdict' | 'text'>;

/**
 * Whether it came over a mailing list, which may send answers to itself, and changes what was signed: it says so (as anybody can), and that is
 * proved or not.
 */
export type ListKind = 'none' | 'said' | 'proved';

const LISTS = 'Mailing lists that change what they hand on make mail look like this, too.';

export function senderWarnings(
  { from, reply_to: replyTo }: Sender,
  checked: Checked,
  known: KnownPeople,
  list: ListKind,
): MailWarning[] {
  const [sender] = from;
  if (sender === undefined) return [];
  const domain = domainOf(sender.address);
  const isInside = known.domains.some((each) => ownerOf(each) === ownerOf(domain));
  const warnings: MailWarning[] = [];
  // Attack: mail of the reader, or of their boss, that somebody else wrote.
  if (checked.verdict === 'fail' && (isInside || list !== 'proved'))
    warnings.push({ kind: 'forged', text: list === 'none' ? checked.text : `${checked.text} ${LISTS}` });
  const imitates = imitation(domain, known.domains) ?? (isInside ? null : imitation(domain, known.others));
  if (imitates !== null) warnings.push({ kind: 'look-alike', text: `${domain} ${imitates}.` });
  const imitated = imitatedAddress(sender.address, known.written);
  if (imitated !== null)
    warnings.push({
      kind: 'look-alike',
      text: `${sender.address} looks like ${imitated}, whom you have written to, and is not.`,
    });
  // All of them: the first may be the right one.
  const named = [...seenText(sender.name ?? '').matchAll(ADDRESS)].find(
    ([, at = '']) => ownerOf(at) !== ownerOf(domain),
  );
  if (named !== undefined)
    warnings.push({
      kind: 'name',
      text: `The name of the sender shows ${named[0]}; the address is ${sender.address}.`,
    });
  const others = [...new Set(replyTo.map(({ address }) => domainOf(address)))].filter(
    (each) => ownerOf(each) !== ownerOf(domain),
  );
  if (others.length > 0 && list !== 'proved')
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

/** Attack: an address of somebody whom its owner writes to, at the same provider and with other letters. */
function imitatedAddress(address: string, written: readonly string[]): string | null {
  const own = address.toLowerCase();
  if (written.includes(own)) return null;
  const skeleton = skeletonOfAddress(own);
  return written.find((each) => skeletonOfAddress(each) === skeleton) ?? null;
}

function skeletonOfAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return `${skeletonOf(address.slice(0, at).replaceAll('.', '-'))}${address.slice(at)}`;
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}
