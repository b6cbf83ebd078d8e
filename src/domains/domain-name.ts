/** Validates the names of domains that a project adds. */
import { getDomain } from 'tldts';
import { parseDomain } from '../rfc/address/domain.ts';

/**
 * The maximum length of a domain. It leaves room for a return path, `<64 characters>@send.<domain>`, which may have 254 octets (RFC 5321,
 * section 4.5.3.1.3).
 */
const MAX_LENGTH = 184;

/**
 * The normal form of a name that a project may add: lower-case A-labels. Rejects suffixes of the Public Suffix List, including the private
 * part of the list: DMARC finds no policy for suffixes, and the names below a suffix belong to other people. A top-level domain that is not
 * in the list, such as `test`, is treated like `com`.
 *
 * @returns the name, or an error message
 */
export function parseDomainName(text: string, hostedDomain: string): string | { error: string } {
  const name = parseDomain(text);
  if (typeof name === 'object') return name;
  if (!name.includes('.')) return { error: 'the domain has no dot; enter a full name such as example.com' };
  if (name.length > MAX_LENGTH) return { error: `the domain is longer than ${MAX_LENGTH} characters` };
  if (name === hostedDomain || name.endsWith(`.${hostedDomain}`)) {
    return { error: 'the domain is the hosted domain, which every project has, or one of its subdomains' };
  }
  if (organizationalDomain(name) === null) {
    return {
      error:
        'the domain is a public suffix, such as com or co.uk; enter a domain that you registered under it',
    };
  }
  return name;
}

/** The registered domain: one label below the public suffix. Null for a public suffix. */
function organizationalDomain(name: string): string | null {
  return getDomain(name, { allowPrivateDomains: true, extractHostname: false, validateHostname: false });
}

/** The domain of an address, in lower case. */
export function domainAt(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}

/** The organization of an address. */
export function organizationAt(address: string): string {
  return organizationOf(domainAt(address));
}

/** The registered domain of the name. A public suffix, or a local name such as `localhost`, is its own organization. */
export function organizationOf(name: string): string {
  return organizationalDomain(name) ?? name;
}
