import { TIMINGS as SMTP_TIMINGS, type Timings } from '../smtp/timings.ts';

/**
 * The connect and idle timeouts are shorter than for a smart host: there may be another host to try, and most hosts get no further mail
 * soon.
 */
export const TIMINGS: Timings = { ...SMTP_TIMINGS, connectMs: 15_000, idleMs: 10_000 };
