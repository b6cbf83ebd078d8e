import { type MailboxAddress, parseMailbox } from '../rfc/address/index.ts';

/** An address of this instance as header fields name it. @param localPart as it was given, unquoted where it should be quoted */
export function namedMailbox(localPart: string, domain: string, displayName: string | null): MailboxAddress {
  for (const local of [localPart, `"${localPart.replace(/["\\]/g, '\\$&')}"`]) {
    const parsed = parseMailbox(`${local}@${domain}`);
    if (!('error' in parsed)) return { ...parsed, displayName };
  }
  return { displayName, address: `${localPart}@${domain}`, localPart, domain, unicode: false };
}
