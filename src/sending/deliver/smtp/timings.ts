import { fixed } from '../../../model/fixed.ts';

/**
 * The timeouts of a client, in milliseconds. After the set-up of a session they follow RFC 5321, section 4.5.3.2. The set-up may time out
 * sooner, because no message has been handed over yet.
 */
export const TIMINGS = fixed({
  /** The timeout for a TCP connection, and again for a TLS handshake. */
  connectMs: 30_000,
  /** The timeout for the greeting and for each reply to EHLO, STARTTLS and AUTH. */
  setUpMs: 60_000,
  /** The timeout for each reply to MAIL, RCPT and RSET. */
  commandMs: 300_000,
  /** The timeout for the reply 354 to DATA. */
  dataMs: 120_000,
  /** The timeout for the network to take one block of a large message. */
  blockMs: 180_000,
  /** The timeout for the reply to the final dot. A timeout that is too short causes duplicates. */
  dotMs: 600_000,
  /** A connection without messages ends after this time. */
  idleMs: 30_000,
  /** The timeout for the reply to QUIT, and for messages in flight when the service stops. */
  graceMs: 2_000,
  /** How often a connection checks its deadline. */
  sweepMs: 1_000,
});

export type Timings = typeof TIMINGS;
