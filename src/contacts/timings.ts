import { fixed } from '../model/fixed.ts';

export const TIMINGS = fixed({
  /** Messages younger than this are read next time: a running transaction may still add a message with a lower id. */
  minAgeMs: 2_000,
  /** How long a request reads mail for addresses. The next request continues. */
  budgetMs: 150,
});
