import { fixed } from '../model/fixed.ts';

/** Timings of the roles of a process (`http`, `smtp`, `worker` and others), in milliseconds. */
export const TIMINGS = fixed({
  /** The pause between attempts to open a TLS port that was in use when the certificate became available. */
  portAgainMs: 5_000,
});
