/** Names of mailboxes on the wire (RFC 9051, section 5.1; RFC 3501, section 5.1.3; RFC 6855, section 3). */
import { decodeFolderName, encodeMailboxName } from './modified-utf7.ts';
import { utf8Of } from './octets.ts';

/**
 * @param octets one in each character
 * @param utf8 the session has enabled names in UTF-8; else they are modified UTF-7
 * @returns null: it is no name
 */
export function readMailboxName(octets: string, utf8: boolean): string | null {
  const name = utf8 ? utf8Of(octets) : decodeFolderName(octets);
  // Two ways to write one name would be two names to whoever checks one and uses the other.
  if (name === null || (!utf8 && encodeMailboxName(name) !== octets)) return null;
  return name.toUpperCase() === 'INBOX' ? 'INBOX' : name;
}
