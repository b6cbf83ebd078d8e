import { fixed } from '../../model/fixed.ts';

/** How long a message may wait to be filed. */
export const TIMINGS = fixed({
  /** Milliseconds from its last octet on. The connection ends after five minutes in which its client says nothing (`doors/smtp/listener.ts`). */
  patienceMs: 4 * 60_000,
});
