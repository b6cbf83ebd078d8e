import { fixed } from '../../../model/fixed.ts';

/**
 * The timeouts of a client, in milliseconds. After set-up they follow RFC 5321, section 4.5.3.2;
 * set-up may time out sooner, because no message has been handed over yet.
 */
export const TIMINGS = fixed({
  /** For a TCP connection, and again for a TLS handshake. */
  connectMs: 30_000,
  /** For the greeting and each reply to EHLO, STARTTLS and AUTH. */
  setUpMs: 60_000,
  /** For each reply to MAIL, RCPT and RSET. */
  commandMs: 300_000,
  /** For the 354 to DATA. */
  dataMs: 120_000,
  /** For the network to take one block of a large message. */
  blockMs: 180_000,
  /** For the reply to the final dot: a timeout too soon causes duplicates. */
  dotMs: 600_000,
  /** A connection without messages ends after this time. */
  idleMs: 30_000,
  /** For the reply to QUIT, and for messages in flight when the service stops. */
  graceMs: 2_000,
  /** How often a connection checks its deadline. */
  sweepMs: 1_000,
});

export type Timings = typeof TIMINGS;
