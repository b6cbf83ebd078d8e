/**
 * How long a client waits, in milliseconds. From MAIL on the values are those of RFC 5321, section 4.5.3.2;
 * setting up a session may give up sooner, because no message has been handed over yet.
 */
export interface Timings {
  /** For a TCP connection, and again for a TLS handshake. */
  connectMs: number;
  /** For the greeting and each reply to EHLO, STARTTLS and AUTH. */
  setUpMs: number;
  /** For each reply to MAIL, RCPT and RSET. */
  commandMs: number;
  /** For the 354 to DATA. */
  dataMs: number;
  /** For the network to take one block of a large message. */
  blockMs: number;
  /** For the reply to the final dot: giving up too soon makes duplicates. */
  dotMs: number;
  /** After that long without a message a connection is ended. */
  idleMs: number;
  /** For the reply to QUIT, and for what is in flight when the service stops. */
  graceMs: number;
  /** How often a connection looks whether its time is up. */
  sweepMs: number;
}

export const TIMINGS: Timings = {
  connectMs: 30_000,
  setUpMs: 60_000,
  commandMs: 300_000,
  dataMs: 120_000,
  blockMs: 180_000,
  dotMs: 600_000,
  idleMs: 30_000,
  graceMs: 2_000,
  sweepMs: 1_000,
};
