import { fixed } from '../model/fixed.ts';

/** Timings of roles, in milliseconds. */
export const TIMINGS = fixed({
  /** The pause between attempts to open a TLS port that was in use when the certificate became available. */
  portAgainMs: 5_000,
});
