/** What one message may cost. Each bound is far above what honest mail has; beyond it a check ends, and never the message. */
export const LIMITS = {
  /** The octets of a header: a message with a longer one is not taken (docs/operate/spam.md, Limits). */
  headerOctets: 1_048_576,
  /** Lines that the verifier is shown: it takes time in the square of those of one field. */
  headerLines: 4_000,
  fieldLines: 2_000,
  /** The octets of one signature, seal or From field. RFC 6376 has no bound; real ones have 2 kB. */
  fieldOctets: 16_384,
  /** From fields: more than one is wrong already (RFC 5322, section 3.6). */
  fromFields: 2,
  /** DKIM signatures, from the top: those on top are the youngest. */
  signatures: 8,
  /** Sets of ARC (RFC 8617, section 4.2.1), three fields each. */
  arcSets: 50,
  /** Look-ups in DNS for one message, and for its SPF alone (RFC 7208, section 4.6.4 makes 111 of one record). */
  lookups: 60,
  spfLookups: 120,
  /** The bits of an RSA key, from RFC 8301, section 3.2 on; to verify with a longer one takes too long. */
  minKeyBits: 1_024,
  maxKeyBits: 4_096,
} as const;
