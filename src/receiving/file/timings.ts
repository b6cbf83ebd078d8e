import { fixed } from '../../model/fixed.ts';

/** The time limit for filing a message. */
export const TIMINGS = fixed({
  /**
   * The maximum milliseconds from the last octet of a message until the message is filed. It is less than the five minutes without a
   * command after which the connection ends (`doors/smtp/listener.ts`).
   */
  patienceMs: 4 * 60_000,
});
