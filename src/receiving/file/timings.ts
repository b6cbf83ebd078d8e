import { fixed } from '../../model/fixed.ts';

/** How long a message may wait to be filed. */
export const TIMINGS = fixed({
  /**
   * Milliseconds after its last octet. The connection ends after five minutes without a command from the client
   * (`doors/smtp/listener.ts`).
   */
  patienceMs: 4 * 60_000,
});
