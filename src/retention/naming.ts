/** Finds mentions of a person by address. */
import type { DatabaseTransaction } from '../db/database.ts';
import { parseMailbox, parseMailboxes } from '../rfc/address/index.ts';

/** Whether two normalized addresses belong to one person. The suppression list compares addresses in the same way. */
export function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Whether a text in the form of a recipient, such as `Ada <ada@example.com>`, has the address. */
export function hasAddress(text: string, address: string): boolean {
  const mailbox = parseMailbox(text);
  return !('error' in mailbox) && isSame(mailbox.address, address);
}

/** Whether a Reply-To, which may list several addresses, has the address. */
export function repliesTo(replyTo: string, address: string): boolean {
  return parseMailboxes(replyTo).some((mailbox) => isSame(mailbox.address, address));
}

/**
 * An expression that finds an address in text, regardless of case, but not as a part of a longer address: `ann@x.com` is not found in
 * `joann@x.com` or in `ann@x.com.au`. The character before the address must not be allowed in a local part (RFC 5322, section 3.2.3).
 * Quotes may surround the address, and a full stop may follow.
 */
export function patternOf(address: string): RegExp {
  const escaped = address.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  const inLocalPart = String.raw`[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_\x60{|}~\-]`;
  const inDomain = String.raw`[\p{L}\p{M}\p{N}\-]`;
  return new RegExp(
    String.raw`(?<!${inLocalPart})${escaped}(?!\.?${inDomain})|(?<=(?<!${inLocalPart})')${escaped}(?=')`,
    'giu',
  );
}

/** Whether an email has the address as a recipient, as a reply address or in a header field. */
export async function mentionsAddress(
  tx: DatabaseTransaction,
  projectId: string,
  emailId: string,
  address: string,
): Promise<boolean> {
  const email = await tx
    .selectFrom('emails as e')
    .innerJoin('emailContents as c', (join) =>
      join.onRef('c.projectId', '=', 'e.projectId').onRef('c.emailId', '=', 'e.id'),
    )
    .select(['e.toList', 'c.cc', 'c.bcc', 'c.replyTo', 'c.headers'])
    .where('e.projectId', '=', projectId)
    .where('e.id', '=', emailId)
    .executeTakeFirst();
  if (email === undefined) return false;
  const { toList, cc, bcc, replyTo, headers } = email;
  const pattern = patternOf(address);
  return (
    [...toList, ...cc, ...bcc].some((text) => hasAddress(text, address)) ||
    repliesTo(replyTo ?? '', address) ||
    Object.values(headers ?? {}).some((value) => value.search(pattern) !== -1)
  );
}
