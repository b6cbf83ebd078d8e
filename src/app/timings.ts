import { fixed } from '../model/fixed.ts';

/** Timings of the roles of a process (`http`, `smtp`, `worker` and others), in milliseconds. */
export const TIMINGS = fixed({
  /** The pause before the next attempt to open a TLS port if it was in use when the certificate became available. */
  portAgainMs: 5_000,
});
