import { fixed } from '../../model/fixed.ts';

/** Time limits for the checks and for cached DNS answers. */
export const TIMINGS = fixed({
  /** The time limit in milliseconds for all look-ups for one message. Later answers count as `temperror`. */
  lookupsMs: 10_000,
  /**
   * Milliseconds for which an answer is cached, whatever its TTL: Node does not expose the TTLs of TXT and MX records. The queried resolver
   * respects the TTLs.
   */
  answerMs: 60_000,
  /** Milliseconds for which the absence of a record is cached. */
  noneMs: 30_000,
  /** Milliseconds before a failed look-up is retried. */
  failedMs: 5_000,
});
