import { TIMINGS as SMTP_TIMINGS, type Timings } from '../smtp/timings.ts';

/** Shorter timeouts where nothing is lost: there may be another host, and most hosts get no further mail soon. */
export const TIMINGS: Timings = { ...SMTP_TIMINGS, connectMs: 15_000, idleMs: 10_000 };
