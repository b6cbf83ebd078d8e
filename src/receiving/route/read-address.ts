/** Parses the address of RCPT. Pure. */
import { localPartKey, mailboxKey, tagOf } from '../../mailboxes/local-part.ts';
import { parseMailbox } from '../../rfc/address/index.ts';

export interface ReceivedAddress {
  /** The given address, with its domain in A-labels. */
  address: string;
  /** The domain in lower-case A-labels. */
  domain: string;
  /** The key of the mailbox that the address belongs to: see `mailboxKey`. */
  key: string;
  /** See `tagOf`. */
  tag: string | null;
}

/**
 * Old routing syntax. Attack: a server that accepts `victim%elsewhere.test@here` can be made to relay the message, itself or through the
 * next server. This server relays nothing: no mailbox has such an address, and a catch-all does not receive mail for it either.
 */
const ROUTE_MARKS = /[%!@]/;

/**
 * The SMTP parser has already removed a source route (RFC 5321, appendix C).
 * @param forwardPath the address of RCPT, without angle brackets
 * @returns `postmaster` for the address without a domain; null if no mailbox can have the address
 */
export function readAddress(forwardPath: string): ReceivedAddress | 'postmaster' | null {
  if (forwardPath.toLowerCase() === 'postmaster') return 'postmaster';
  const parsed = parseMailbox(forwardPath);
  if ('error' in parsed || parsed.displayName !== null || parsed.domain.startsWith('[')) return null;
  const { address, localPart, domain } = parsed;
  const isRoute = ROUTE_MARKS.test(localPart) || ROUTE_MARKS.test(localPartKey(localPart));
  return isRoute ? null : { address, domain, key: mailboxKey(localPart), tag: tagOf(localPart) };
}
