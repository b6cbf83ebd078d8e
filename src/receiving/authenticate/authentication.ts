/** The results of checking whether a message is genuine (RFC 8601, section 2.7). */

/** A message as it was received, before any field is added to it. */
export interface Arrival {
  /** The message's octets, unchanged. */
  readonly raw: Buffer;
  /** The client's IP address; empty if unknown. */
  readonly address: string;
  /** The client's name from EHLO or HELO. */
  readonly helo: string;
  /** The address of MAIL FROM without angle brackets; empty for the null reverse path. */
  readonly mailFrom: string;
  /** Whether a project of this instance sent the message, which then never left this instance. */
  readonly isOwn?: boolean;
  /** Whether the message came through a trusted relay. If so, `address` and `helo` belong to the relay's client. */
  readonly isRelayed?: boolean;
}

export type SpfResult = 'pass' | 'fail' | 'softfail' | 'neutral' | 'none' | 'temperror' | 'permerror';
export type DkimResult = 'pass' | 'fail' | 'neutral' | 'policy' | 'temperror' | 'permerror';
export type DmarcResult = 'pass' | 'fail' | 'none' | 'temperror' | 'permerror';
/** The policy that a domain publishes for mail that fails DMARC (RFC 7489, section 6.3). */
export type DmarcPolicy = 'none' | 'quarantine' | 'reject';

export interface DkimCheck {
  readonly result: DkimResult;
  /** The signing domain in lower case. Empty if the signature names no domain. */
  readonly domain: string;
  readonly selector: string;
  /** The algorithm, for example `rsa-sha256`. */
  readonly algorithm: string;
}

export interface Authentication {
  /** `domain` is the domain of MAIL FROM, or of EHLO if the reverse path is null (RFC 7208, section 2.4). */
  readonly spf: { readonly result: SpfResult; readonly domain: string };
  /** The signatures that were checked, at most `LIMITS.signatures`. Empty if the message is unsigned. */
  readonly dkim: readonly DkimCheck[];
  /** `domain` is the author's domain, or null if From has no domain or several. `published` is the policy that the domain publishes. */
  readonly dmarc: {
    readonly result: DmarcResult;
    readonly domain: string | null;
    readonly published: DmarcPolicy;
  };
  /** `sealers` are the domains of the seals, oldest first (RFC 8617, section 4.2). */
  readonly arc: { readonly result: 'none' | 'pass' | 'fail'; readonly sealers: readonly string[] };
  /** Whether the reverse DNS name of the client's address resolves to that address (RFC 8601, section 2.7.3). */
  readonly iprev: { readonly result: 'pass' | 'fail' | 'temperror'; readonly name: string | null };
  /**
   * The DMARC policy to apply to this message. It is `none` if DMARC passes or a trusted sealer vouches for the message. It is
   * never `reject` for mail from a trusted relay: the relay has already accepted the message and would have to bounce it to an
   * address that may be forged.
   */
  readonly policy: DmarcPolicy;
  /** The value of our Authentication-Results field, without line ends; it is folded at `; ` when the field is written. */
  readonly header: string;
}
