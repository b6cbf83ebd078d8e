/** The addresses in a message of an application, as a request has them: `local@domain` or `Name <local@domain>`. */
import { MAX_LISTED_ADDRESSES } from '../../../contract/emails.ts';
import { formatMailbox, parseMailbox, readAddressList } from '../../../rfc/address/index.ts';
import { decodeEncodedWords, type HeaderField } from '../../../rfc/mime/index.ts';

/**
 * The one mailbox of a field, read by the parser that policy goes by. Attack: a field that one reader takes for one address and another
 * for two. So what that parser does not take is refused, and what goes out is written from what it gave.
 */
export function mailboxOf(value: string): { text: string; address: string } | { error: string } {
  const parsed = parseMailbox(value);
  if ('error' in parsed) return parsed;
  const text = formatMailbox({ ...parsed, displayName: nameOf(parsed.displayName) });
  const again = parseMailbox(text);
  // An encoded name may hold what no name can.
  if ('error' in again) return again;
  return again.address === parsed.address
    ? { text, address: again.address }
    : { error: 'not an address: its name cannot be written' };
}

/** All that the fields of a name list; groups are left out, and what is in them is not. */
export function addressesOf(
  fields: readonly HeaderField[],
  name: string,
): { addresses: string[] } | { error: string } {
  const value = fields
    .filter((field) => field.name === name)
    .map((field) => field.value)
    .join(', ');
  const listed = readAddressList(value, MAX_LISTED_ADDRESSES + 1);
  if (listed.length > MAX_LISTED_ADDRESSES) return { error: `more than ${MAX_LISTED_ADDRESSES} addresses` };
  const addresses: string[] = [];
  for (const { name: given, localPart, domain } of listed) {
    if (domain === null) continue;
    const text = formatMailbox({ displayName: nameOf(given), address: `${localPart ?? ''}@${domain}` });
    const parsed = parseMailbox(text);
    if ('error' in parsed) return parsed;
    addresses.push(text);
  }
  return { addresses };
}

function nameOf(name: string | null): string | null {
  return name === null ? null : decodeEncodedWords(name).trim() || null;
}
