/** Local parts of mailboxes: which are allowed, and when two are the same. */
import { parseMailbox } from '../rfc/address/index.ts';

/**
 * The same for local parts that count as one: compatibility forms and case are folded (NFKC, upper case, lower case, NFKC),
 * because `Ｓales` or `SALES` beside `sales` would only serve to deceive. `ß` is `ss`, and `ı` is `i`.
 */
export function localPartKey(localPart: string): string {
  // A last sigma is a sigma: which of the two lower case has would depend on what follows.
  return localPart.normalize('NFKC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFKC');
}

/**
 * The key of the mailbox that an address belongs to: that of `name` for `name+tag` too. Quotes and backslashes are only a way
 * of writing a local part (RFC 5322, section 3.2.4).
 *
 * @param localPart as `parseMailbox` gives it
 */
export function mailboxKey(localPart: string): string {
  const quoted = localPart.startsWith('"');
  const text = quoted ? localPart.slice(1, -1).replace(/\\(.)/g, '$1') : localPart;
  const [name = ''] = localPartKey(text).split('+', 1);
  return name.trim();
}

/** The two roles that every domain has (RFC 5321, section 4.5.1; RFC 2142, section 4). */
const ROLE_KEYS = new Set(['postmaster', 'abuse']);

/** Whether mail to it is accepted on every domain, with or without a mailbox. @param key see `mailboxKey` */
export function isRole(key: string): boolean {
  return ROLE_KEYS.has(key);
}

/** Relays refuse the old routing marks, and programs take a first hyphen for an option. */
const UNUSABLE = /^-|[!%]/;

/**
 * What is wrong with the local part of a new mailbox; null when nothing is. It is a dot-atom of at most 64 octets, UTF-8
 * taken (RFC 6531), and so is its key: `a＠b` looks like an address in an address.
 *
 * @param domain the whole address is at most 254 octets
 */
export function localPartFault(localPart: string, domain: string): string | null {
  const key = localPartKey(localPart);
  if (!isDotAtom(localPart, domain) || !isDotAtom(key, domain)) {
    return 'must be what stands before the @: letters, digits, and signs such as . _ and - between them, without quotes and spaces, at most 64 bytes';
  }
  if (key.includes('+')) return 'must not hold a +: name+tag is a tagged form of the address name';
  if (UNUSABLE.test(key)) return 'must not begin with a hyphen or hold ! or %: many mail servers refuse that';
  return null;
}

function isDotAtom(localPart: string, domain: string): boolean {
  const parsed = parseMailbox(`${localPart}@${domain}`);
  // The parser unquotes what needs no quotes.
  return !('error' in parsed) && !localPart.startsWith('"') && parsed.displayName === null;
}
