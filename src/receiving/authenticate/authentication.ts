/** What is known about whether a message is genuine (RFC 8601, section 2.7). */

/** As it reaches the service, before anything is written into it. */
export interface Arrival {
  /** The octets of the message as they came. */
  readonly raw: Buffer;
  /** The IP address of the client; empty where it is not known. */
  readonly address: string;
  /** What the client said in EHLO or HELO. */
  readonly helo: string;
  /** The address of MAIL FROM without angle brackets; empty for the null reverse path. */
  readonly mailFrom: string;
  /** A project of this instance sent it, and it never left. */
  readonly isOwn?: boolean;
  /** A trusted relay brought it, and `address` and `helo` are those of the relay's client. */
  readonly isRelayed?: boolean;
}

export type SpfResult = 'pass' | 'fail' | 'softfail' | 'neutral' | 'none' | 'temperror' | 'permerror';
export type DkimResult = 'pass' | 'fail' | 'neutral' | 'policy' | 'temperror' | 'permerror';
export type DmarcResult = 'pass' | 'fail' | 'none' | 'temperror' | 'permerror';
/** What a domain asks for mail that is not its own (RFC 7489, section 6.3). */
export type DmarcPolicy = 'none' | 'quarantine' | 'reject';

export interface DkimCheck {
  readonly result: DkimResult;
  /** In lower case; empty where the signature names none. */
  readonly domain: string;
  readonly selector: string;
  /** Such as `rsa-sha256`. */
  readonly algorithm: string;
}

export interface Authentication {
  /** `domain` is that of MAIL FROM, and of EHLO where the reverse path is null (RFC 7208, section 2.4). */
  readonly spf: { readonly result: SpfResult; readonly domain: string };
  /** The signatures that were looked at, at most `LIMITS.signatures`. Empty: the message is not signed. */
  readonly dkim: readonly DkimCheck[];
  /** `domain` is that of the author; null where From names none, or several. `published` is what its owner asks for. */
  readonly dmarc: {
    readonly result: DmarcResult;
    readonly domain: string | null;
    readonly published: DmarcPolicy;
  };
  /** `sealers` are the domains of the seals, the oldest first (RFC 8617, section 4.2). */
  readonly arc: { readonly result: 'none' | 'pass' | 'fail'; readonly sealers: readonly string[] };
  /** Whether the name of the client's address leads back to the address (RFC 8601, section 2.7.3). */
  readonly iprev: { readonly result: 'pass' | 'fail' | 'temperror'; readonly name: string | null };
  /**
   * What DMARC says of this message: `none` also where it passes, and where a trusted sealer vouches for it. Never `reject` for what a trusted
   * relay brought: it has accepted the message, and would have to send a bounce to an address that may be forged.
   */
  readonly policy: DmarcPolicy;
  /** The value of our Authentication-Results, without line ends: the writer of the field folds it at `; `. */
  readonly header: string;
}
