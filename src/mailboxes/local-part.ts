/** Local parts of mailboxes: checks whether a local part is valid, and whether two local parts count as the same, and writes addresses. */
import { parseMailbox } from '../rfc/address/index.ts';

/**
 * Returns the same key for all local parts that count as the same. Attack: `Ｓales` or `SALES` next to `sales` would only serve to deceive,
 * so compatibility forms and case are folded (NFKC, upper case, lower case, NFKC). `ß` becomes `ss`, and `ı` becomes `i`.
 */
export function localPartKey(localPart: string): string {
  // Replace the final sigma with a plain sigma. After `toUpperCase` the two are one letter, and `toLowerCase` chooses between them by what
  // follows.
  return localPart.normalize('NFKC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFKC');
}

/**
 * The key of the mailbox that an address belongs to. `name+tag` has the key of `name`. Quotes and backslashes are not part of the name (RFC
 * 5322, section 3.2.4).
 *
 * @param localPart as `parseMailbox` returns it
 */
export function mailboxKey(localPart: string): string {
  const [name = ''] = localPartKey(unquoted(localPart)).split('+', 1);
  return name.trim();
}

/** The tag of `name+tag`, as a key; null without a tag. @param localPart as `parseMailbox` returns it */
export function tagOf(localPart: string): string | null {
  const key = localPartKey(unquoted(localPart));
  const at = key.indexOf('+');
  return at === -1 ? null : key.slice(at + 1).trim();
}

function unquoted(localPart: string): string {
  return localPart.startsWith('"') ? localPart.slice(1, -1).replace(/\\(.)/g, '$1') : localPart;
}

/** The address of a mailbox or alias, in Unicode normalization form C, like all addresses that the API returns. */
export function addressOf({ localPart, domain }: { localPart: string; domain: string }): string {
  return `${localPart.normalize('NFC')}@${domain}`;
}

/** The two role addresses that every domain has (RFC 5321, section 4.5.1; RFC 2142, section 4). */
export const ROLE_KEYS: ReadonlySet<string> = new Set(['postmaster', 'abuse']);

/** Whether mail to a role address is accepted on every domain, with or without a mailbox. @param key see `mailboxKey` */
export function isRole(key: string): boolean {
  return ROLE_KEYS.has(key);
}

/**
 * Matches what a local part must not have: `!` or `%`, which come from old routing syntax and are rejected by relays, or a leading hyphen,
 * which programs mistake for an option.
 */
const UNUSABLE = /^-|[!%]/;

/**
 * Checks the local part of a new mailbox. It must be a dot-atom of at most 64 octets and may contain UTF-8 (RFC 6531). Its key must meet
 * the same conditions. Attack: `a＠b`, whose key contains a plain `@`, looks like an address inside an address.
 *
 * @param domain needed because the whole address may have at most 254 octets
 * @returns an error message, or null if the local part is valid
 */
export function localPartFault(localPart: string, domain: string): string | null {
  const key = localPartKey(localPart);
  if (!isDotAtom(localPart, domain) || !isDotAtom(key, domain)) {
    return 'must be the part before the @: letters, digits, and characters such as . _ and - between them, without quotes and spaces, at most 64 bytes';
  }
  if (key.includes('+')) return 'must not contain +: name+tag is a tagged form of the address name';
  if (UNUSABLE.test(key))
    return 'must not begin with a hyphen or contain ! or %: many mail servers reject such addresses';
  return null;
}

function isDotAtom(localPart: string, domain: string): boolean {
  const parsed = parseMailbox(`${localPart}@${domain}`);
  // The parser removes unnecessary quotes. Quotes that are still there mean that the local part is not a dot-atom.
  return !('error' in parsed) && !localPart.startsWith('"') && parsed.displayName === null;
}
