import { DAY_MS, HOUR_MS } from '../../model/day.ts';
import { fixed } from '../../model/fixed.ts';

/** Times of notifications, in milliseconds. */
export const TIMINGS = fixed({
  /** How often a process sends the notifications of mailboxes that it knows to have changed. */
  pollMs: 1_000,
  /** How often a process searches all subscriptions for new mail, because notices of changes can be lost. */
  sweepMs: 60_000,
  /** The minimum time between two notifications of a browser. Mail that arrives in between is in the second one. */
  restMs: 10_000,
  /** Older mail needs no notification: mail that was moved or imported, or that arrived while push services could not be reached. */
  freshMs: HOUR_MS,
  /** The delay after the first failure. It doubles after each later one. */
  firstDelayMs: 30_000,
  /** The longest delay that a push service may ask for. */
  maxDelayMs: HOUR_MS,
  /** The time limit of a request to a push service. */
  requestMs: 10_000,
  /** How long a push service stores a notification for a browser that is not connected. */
  storedMs: DAY_MS,
  /** How long a signature for a push service is valid. At most a day (RFC 8292, section 2). */
  signedMs: 12 * HOUR_MS,
  /** The minimum pause between two tests of a browser. */
  testMs: 5_000,
});
