/**
 * Limits per message, far above the needs of honest mail. Beyond a limit, checks are incomplete, but the message is still accepted, except
 * beyond `headerOctets`.
 */
export const LIMITS = {
  /** The maximum size of a header in octets. A message with a longer header is rejected (docs/operate/spam.md, Limits). */
  headerOctets: 1_048_576,
  /** The maximum number of header lines that are passed to the verifier. */
  headerLines: 4_000,
  /** The maximum number of lines of one field. The verifier's time grows with the square of this number. */
  fieldLines: 2_000,
  /** The maximum size of one signature, seal or From field, in octets. RFC 6376 sets no limit; real fields are about 2 kB. */
  fieldOctets: 16_384,
  /** The maximum number of From fields. More than one is already invalid (RFC 5322, section 3.6). */
  fromFields: 2,
  /** The maximum number of DKIM signatures, counted from the top, where the newest signatures are. */
  signatures: 8,
  /** The maximum number of ARC sets (RFC 8617, section 4.2.1). A set has three fields. */
  arcSets: 50,
  /** The maximum number of DNS look-ups for DKIM, and the same number again for ARC and for DMARC. */
  lookups: 60,
  /** The maximum number of DNS look-ups for SPF. RFC 7208, section 4.6.4 allows 111 for one record. */
  spfLookups: 120,
  /** The minimum size of an RSA key in bits (RFC 8301, section 3.2). */
  minKeyBits: 1_024,
  /** The maximum size of an RSA key in bits. Verifying with a larger key takes too long. */
  maxKeyBits: 4_096,
} as const;
