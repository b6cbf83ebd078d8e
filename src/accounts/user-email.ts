import { parseMailbox } from '../rfc/address/index.ts';

/** In octets, as addresses are (RFC 5321, section 4.5.3.1.3). */
const MAX_OCTETS = 254;

export interface UserEmail {
  /** As it is written to. */
  email: string;
  /** The same however the address is spelled: nobody signs up twice with one address. */
  key: string;
}

/** The address that a user signs in with; null when it is none. */
export function readUserEmail(text: string): UserEmail | null {
  if (text.length > MAX_OCTETS || Buffer.byteLength(text) > MAX_OCTETS) return null;
  const parsed = parseMailbox(text.trim());
  if ('error' in parsed || parsed.displayName !== null) return null;
  const { localPart, domain } = parsed;
  return { email: `${localPart}@${domain}`, key: `${localPart.normalize('NFC').toLowerCase()}@${domain}` };
}
