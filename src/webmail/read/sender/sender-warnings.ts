/** Warns about senders that pose as someone else. There are few rules, and each warning describes the finding. */
import type { MailMessageSummary } from '../../../contract/mail/conversations.ts';
import { seenText } from '../seen-text.ts';
import type { AuthenticationWords } from './authentication-words.ts';
import { imitation, ownerOf } from '../links/imitation.ts';
import { skeletonOf } from '../links/look-alike.ts';

export interface MailWarning {
  kind: 'forged' | 'look-alike' | 'name' | 'reply-to' | 'member' | 'link' | 'file';
  text: string;
}

/** The people and domains known to the reader. */
export interface KnownPeople {
  /** The domains of the project and of the mailbox. */
  domains: readonly string[];
  /** Other domains that the owner knows: domains to which the owner has written, and domains in the directory that the owner can see. */
  others: readonly string[];
  /** Addresses in the sender's domain to which the owner has written, in lower case. */
  written: readonly string[];
  /** Members with the same name as the sender. */
  namesakes: readonly { name: string; address: string }[];
}

const ADDRESS = /[\p{L}\p{N}._%+-]{1,64}@((?:[\p{L}\p{N}-]{1,63}\.){1,8}[\p{L}]{2,24})/gu;

type Sender = Pick<MailMessageSummary, 'from' | 'reply_to'>;
type Checked = Pick<AuthenticationWords, 'verdict' | 'text'>;

/**
 * Whether the message came through a mailing list, which may direct replies to itself and may break signatures. `said`: the message only
 * claims to have come through a list. `proved`: the claim is proved (`cameOverList`).
 */
export type ListKind = 'none' | 'said' | 'proved';

const LISTS = 'Mailing lists that change messages can also cause this.';

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
  // Attack: forged mail in the name of the reader or of the reader's boss.
  if (checked.verdict === 'fail' && (isInside || list !== 'proved'))
    warnings.push({ kind: 'forged', text: list === 'none' ? checked.text : `${checked.text} ${LISTS}` });
  const imitates = imitation(domain, known.domains) ?? (isInside ? null : imitation(domain, known.others));
  if (imitates !== null) warnings.push({ kind: 'look-alike', text: `${domain} ${imitates}.` });
  const imitated = imitatedAddress(sender.address, known.written);
  if (imitated !== null)
    warnings.push({
      kind: 'look-alike',
      text: `${sender.address} looks like ${imitated}, to whom you have written, but is a different address.`,
    });
  // All addresses in the name are checked, because the first may be the correct one.
  const named = [...seenText(sender.name ?? '').matchAll(ADDRESS)].find(
    ([, at = '']) => ownerOf(at) !== ownerOf(domain),
  );
  if (named !== undefined)
    warnings.push({
      kind: 'name',
      text: `The sender’s name shows ${named[0]}, but the address is ${sender.address}.`,
    });
  const others = [...new Set(replyTo.map(({ address }) => domainOf(address)))].filter(
    (each) => ownerOf(each) !== ownerOf(domain),
  );
  if (others.length > 0 && list !== 'proved')
    warnings.push({
      kind: 'reply-to',
      text: `Replies go to ${others.slice(0, 3).join(', ')}, not to ${domain}.`,
    });
  const [member] = known.namesakes;
  if (
    member !== undefined &&
    !isInside &&
    !known.namesakes.some(({ address }) => address.toLowerCase() === sender.address.toLowerCase())
  )
    warnings.push({
      kind: 'member',
      text: `The sender has the same name as ${member.name} (${member.address}), but a different address: ${sender.address}.`,
    });
  return warnings;
}

/** The known address that the sender's address imitates. Attack: an address that looks like a known address at the same provider. */
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
