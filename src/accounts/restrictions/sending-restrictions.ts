import type { Restrictions } from './restrictions.ts';

const ANY_BELOW = '*.';
const ANY_OF = '*@';

/** The allowed senders and recipients of a key, prepared so that checks are fast even for long lists. */
export class SendingRestrictions {
  readonly #fromDomains: DomainSet | null;
  readonly #recipients: { addresses: ReadonlySet<string>; domains: DomainSet } | null;
  /** The lists in the notation of `Restrictions`, such as `*.acme.example`, for error messages about an email that is not allowed. */
  readonly fromDomains: readonly string[];
  readonly recipients: readonly string[];

  constructor({ fromDomains, recipients }: Pick<Restrictions, 'fromDomains' | 'recipients'>) {
    this.fromDomains = fromDomains ?? [];
    this.recipients = recipients ?? [];
    this.#fromDomains = fromDomains === null ? null : new DomainSet(fromDomains);
    this.#recipients =
      recipients === null
        ? null
        : {
            addresses: new Set(recipients.filter((pattern) => !pattern.startsWith(ANY_OF))),
            domains: new DomainSet(
              recipients
                .filter((pattern) => pattern.startsWith(ANY_OF))
                .map((pattern) => pattern.slice(ANY_OF.length)),
            ),
          };
  }

  /** @param domain in the form that `parseMailbox` returns */
  allowsFrom(domain: string): boolean {
    return this.#fromDomains?.has(domain) ?? true;
  }

  /** @param address in the form that `parseMailbox` returns */
  allowsRecipient(address: string): boolean {
    if (this.#recipients === null) return true;
    const { addresses, domains } = this.#recipients;
    // The last @ separates the domain, because a quoted local part may also contain an @.
    return domains.has(address.slice(address.lastIndexOf('@') + 1)) || addresses.has(address.toLowerCase());
  }
}

/** A set of domains and of parent domains whose subdomains match. */
class DomainSet {
  readonly #domains: ReadonlySet<string>;
  readonly #parents: ReadonlySet<string>;

  constructor(patterns: readonly string[]) {
    this.#domains = new Set(patterns.filter((pattern) => !pattern.startsWith(ANY_BELOW)));
    this.#parents = new Set(
      patterns
        .filter((pattern) => pattern.startsWith(ANY_BELOW))
        .map((pattern) => pattern.slice(ANY_BELOW.length)),
    );
  }

  has(domain: string): boolean {
    if (this.#domains.has(domain)) return true;
    if (this.#parents.size === 0) return false;
    for (let dot = domain.indexOf('.'); dot !== -1; dot = domain.indexOf('.', dot + 1))
      if (this.#parents.has(domain.slice(dot + 1))) return true;
    return false;
  }
}
