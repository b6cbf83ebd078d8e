/** Limits per message, far above the needs of honest mail. Exceeding a limit ends the check, but the message is still accepted. */
export const LIMITS = {
  /** The octets of a header. A message with a longer header is rejected (docs/operate/spam.md, Limits). */
  headerOctets: 1_048_576,
  /** Header lines that are passed to the verifier: its time grows with the square of the lines of one field. */
  headerLines: 4_000,
  fieldLines: 2_000,
  /** The octets of one signature, seal or From field. RFC 6376 sets no limit; real fields have 2 kB. */
  fieldOctets: 16_384,
  /** The number of From fields. More than one is already invalid (RFC 5322, section 3.6). */
  fromFields: 2,
  /** The number of DKIM signatures, counted from the top, where the newest signatures are. */
  signatures: 8,
  /** The number of ARC sets (RFC 8617, section 4.2.1), with three fields each. */
  arcSets: 50,
  /** DNS look-ups for one message, and for its SPF alone (RFC 7208, section 4.6.4 allows 111 for one record). */
  lookups: 60,
  spfLookups: 120,
  /** The size of an RSA key in bits. The minimum is from RFC 8301, section 3.2; verifying with a key above the maximum takes too long. */
  minKeyBits: 1_024,
  maxKeyBits: 4_096,
} as const;
