import { type MailboxAddress, parseMailbox } from '../rfc/address/index.ts';

/**
 * The name and address of a mailbox of this installation, to write in a header field. @param localPart the stored local part, without
 * quotes
 */
export function namedMailbox(localPart: string, domain: string, displayName: string | null): MailboxAddress {
  for (const local of [localPart, `"${localPart.replace(/["\\]/g, '\\$&')}"`]) {
    const parsed = parseMailbox(`${local}@${domain}`);
    if (!('error' in parsed)) return { ...parsed, displayName };
  }
  return { displayName, address: `${localPart}@${domain}`, localPart, domain, unicode: false };
}
