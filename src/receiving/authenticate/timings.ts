import { fixed } from '../../model/fixed.ts';

/** How long checks may take, and how long answers of DNS are used. */
export const TIMINGS = fixed({
  /** Milliseconds for all look-ups of one message. What has no answer by then is a `temperror`. */
  lookupsMs: 10_000,
  /** Milliseconds for which an answer is used again. Node does not tell the time to live of TXT and MX: the resolver keeps it. */
  answerMs: 60_000,
  /** Milliseconds for which it is believed that there is nothing. */
  noneMs: 30_000,
  /** Milliseconds after which a look-up that failed is tried again. */
  failedMs: 5_000,
});
