/** The restrictions on a key in addition to its scopes (docs/api-keys.md, Restrictions): their input format and their stored form. */
import { isIPv4 } from 'node:net';
import { validationError } from '../../model/app-error.ts';
import * as clock from '../../model/clock.ts';
import { clientAddress } from '../../net/client-network.ts';
import { parseMailbox } from '../../rfc/address/index.ts';

/** A list that is null restricts nothing. */
export interface Restrictions {
  /** The domains of allowed senders: `acme.example`, or `*.acme.example` for its subdomains. A-labels, lower case. */
  fromDomains: readonly string[] | null;
  /** The allowed recipients: `ada@acme.example`, `*@acme.example`, or `*@*.acme.example`. Lower case. */
  recipients: readonly string[] | null;
  /** The IP addresses and networks (in CIDR notation) from which the key may be used. */
  addresses: readonly string[] | null;
  /** The time at which the key expires; null if the key never expires. */
  expiresAt: Date | null;
}

export const UNRESTRICTED: Restrictions = {
  fromDomains: null,
  recipients: null,
  addresses: null,
  expiresAt: null,
};

export const MAX_ENTRIES = 100;
/** The maximum length of an entry. Longer than any address. */
const MAX_LENGTH = 320;

/** Returns an entry in its normal form, or an error message. */
type Read = (text: string) => string | { error: string };

/**
 * Normalizes the restrictions for storage and removes duplicate entries.
 * @throws AppError validation-failed, by `from_domains`, `recipients`, `addresses` and `expires_at`
 */
export function readRestrictions({
  fromDomains,
  recipients,
  addresses,
  expiresAt,
}: Restrictions): Restrictions {
  const errors: Record<string, string> = {};
  const list = (field: string, entries: readonly string[] | null, read: Read): string[] | null => {
    if (entries === null) return null;
    const found = readList(entries, read);
    if (Array.isArray(found)) return found;
    errors[field] = found.error;
    return null;
  };
  const restrictions = {
    fromDomains: list('from_domains', fromDomains, readDomain),
    recipients: list('recipients', recipients, readRecipient),
    addresses: list('addresses', addresses, readNetwork),
    expiresAt,
  };
  if (expiresAt !== null && !(expiresAt.getTime() > clock.nowMs()))
    errors['expires_at'] = 'must be a time in the future';
  if (Object.keys(errors).length > 0) throw validationError(errors);
  return restrictions;
}

/** Rejects an empty list, which usually comes from a variable that was not set. A key with such a list could do nothing. */
function readList(entries: readonly string[], read: Read): string[] | { error: string } {
  if (entries.length === 0) return { error: 'must not be empty: omit it for no restriction' };
  if (entries.length > MAX_ENTRIES) return { error: `must have at most ${MAX_ENTRIES} entries` };
  const found = new Set<string>();
  for (const entry of entries) {
    const text = entry.trim();
    const one = text.length > MAX_LENGTH ? { error: 'is too long' } : read(text);
    if (typeof one === 'object')
      return { error: `${JSON.stringify(text.slice(0, MAX_LENGTH))}: ${one.error}` };
    found.add(one);
  }
  return [...found];
}

const ANY_BELOW = '*.';

function readDomain(text: string): string | { error: string } {
  const prefix = text.startsWith(ANY_BELOW) ? ANY_BELOW : '';
  const domain = domainOf(text.slice(prefix.length));
  return domain === null
    ? { error: 'is not a domain such as acme.example, or *.acme.example for its subdomains' }
    : prefix + domain;
}

const ANY_OF = '*@';

function readRecipient(text: string): string | { error: string } {
  if (text.startsWith(ANY_OF)) {
    const domain = readDomain(text.slice(ANY_OF.length));
    return typeof domain === 'string' ? ANY_OF + domain : { error: RECIPIENT_FORMS };
  }
  const mailbox = parseMailbox(text);
  if ('error' in mailbox || mailbox.displayName !== null || mailbox.localPart.includes('*'))
    return { error: RECIPIENT_FORMS };
  return mailbox.address.toLowerCase();
}

const RECIPIENT_FORMS = 'is not an address such as ada@acme.example, or *@acme.example for a whole domain';

/** A domain in its normal form; null if the text is not a domain. An address literal is not accepted as a domain. */
function domainOf(text: string): string | null {
  if (/[@[\]*"\s]/.test(text)) return null;
  const mailbox = parseMailbox(`x@${text}`);
  return 'error' in mailbox ? null : mailbox.domain;
}

const NETWORK = /^([^/]+)\/(\d{1,3})$/;

function readNetwork(text: string): string | { error: string } {
  const [, base = text, prefix] = NETWORK.exec(text) ?? [];
  const address = base.includes('%') ? null : clientAddress(base);
  if (address === null) return { error: 'is not an IP address, or a network such as 192.0.2.0/24' };
  if (prefix === undefined) return address.toLowerCase();
  // A prefix length in IPv4-mapped IPv6 notation is 96 greater than in IPv4 notation. Such a network is rejected instead of converted.
  if (address !== base) return { error: 'is a network of IPv4-mapped IPv6 addresses: write it as IPv4' };
  const bits = isIPv4(address) ? 32 : 128;
  const length = Number(prefix);
  if (length > bits) return { error: `has a prefix of more than ${bits} bits` };
  if (length === 0) return { error: 'matches every address: omit the restriction' };
  return `${address.toLowerCase()}/${length}`;
}
