import { parseMailbox } from '../rfc/address/index.ts';

/** The maximum length of an address, in octets (RFC 5321, section 4.5.3.1.3). */
const MAX_OCTETS = 254;

export interface UserEmail {
  /** The address in the user's spelling, for sending. */
  email: string;
  /** A key that is identical for all spellings of the address, so that an address has only one account. */
  key: string;
}

/** Reads the email address with which a user signs in. @returns null if the address is not valid */
export function readUserEmail(text: string): UserEmail | null {
  if (text.length > MAX_OCTETS || Buffer.byteLength(text) > MAX_OCTETS) return null;
  const parsed = parseMailbox(text.trim());
  if ('error' in parsed || parsed.displayName !== null) return null;
  const { localPart, domain } = parsed;
  return { email: `${localPart}@${domain}`, key: `${localPart.normalize('NFC').toLowerCase()}@${domain}` };
}
