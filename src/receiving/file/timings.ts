import { fixed } from '../../model/fixed.ts';

/** The time limit for filing a message. */
export const TIMINGS = fixed({
  /**
   * Milliseconds after the last octet of the message. The connection ends after five minutes without a command from the client
   * (`doors/smtp/listener.ts`).
   */
  patienceMs: 4 * 60_000,
});
