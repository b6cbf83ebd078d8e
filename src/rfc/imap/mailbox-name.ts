/** Mailbox names in commands (RFC 9051, section 5.1; RFC 3501, section 5.1.3; RFC 6855, section 3). */
import { decodeFolderName, encodeMailboxName } from './modified-utf7.ts';
import { utf8Of } from './octets.ts';

/**
 * @param octets the encoded name, one octet per character
 * @param utf8 whether the session has enabled names in UTF-8 instead of modified UTF-7
 * @returns the decoded name; null if the octets are not a valid name
 */
export function readMailboxName(octets: string, utf8: boolean): string | null {
  const name = utf8 ? utf8Of(octets) : decodeFolderName(octets);
  // Every name has only one valid spelling. Attack: a check looks for one spelling of a name, and the command uses another spelling.
  if (name === null || (!utf8 && encodeMailboxName(name) !== octets)) return null;
  return name.toUpperCase() === 'INBOX' ? 'INBOX' : name;
}
