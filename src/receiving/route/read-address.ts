/** What an address of RCPT asks for. Pure. */
import { localPartKey, mailboxKey } from '../../mailboxes/local-part.ts';
import { parseMailbox } from '../../rfc/address/index.ts';

export interface ReceivedAddress {
  /** As it was given, its domain in A-labels. */
  address: string;
  /** A-labels, lower case. */
  domain: string;
  /** Of the mailbox that it belongs to: see `mailboxKey`. */
  key: string;
}

/**
 * Marks of old routes. Attack: a server that takes `victim%elsewhere.test@here` in may be asked to pass it on, by itself or by
 * what stands behind it. Nothing here does; and no mailbox has such an address, so a catch-all does not get them either.
 */
const ROUTE_MARKS = /[%!@]/;

/**
 * A source route was left out by whoever read the command (RFC 5321, appendix C).
 * @param forwardPath of RCPT, without brackets
 * @returns `postmaster`: the address without a domain; null: it is no address that mail could be for
 */
export function readAddress(forwardPath: string): ReceivedAddress | 'postmaster' | null {
  if (forwardPath.toLowerCase() === 'postmaster') return 'postmaster';
  const parsed = parseMailbox(forwardPath);
  if ('error' in parsed || parsed.displayName !== null || parsed.domain.startsWith('[')) return null;
  const { address, localPart, domain } = parsed;
  const isRoute = ROUTE_MARKS.test(localPart) || ROUTE_MARKS.test(localPartKey(localPart));
  return isRoute ? null : { address, domain, key: mailboxKey(localPart) };
}
