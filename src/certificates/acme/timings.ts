import { fixed } from '../../model/fixed.ts';

/** How long what belongs to ACME takes, in milliseconds. */
export const TIMINGS = fixed({
  /** How often each process looks for certificates, and for what is being proved. */
  lookMs: 5_000,
  /** After this all processes know what is being proved: two looks, and a slow one. */
  spreadMs: 12_000,
  /** An order takes no longer. */
  orderMs: 4 * 60_000,
  /** Longer than an order: who has obtained nothing by then is dead, and somebody else tries. */
  claimMs: 10 * 60_000,
  /** Between two questions how far a server is, where it does not say. */
  pollMs: 2_000,
  /** After the first failure; doubled after each later one. Authorities allow five failed proofs of a name an hour. */
  firstDelayMs: 5 * 60_000,
  /** After a restart a name waits no longer: somebody may have put right why it failed. Four times an hour is still allowed. */
  restartDelayMs: 15 * 60_000,
  maxDelayMs: 12 * 60 * 60_000,
});
