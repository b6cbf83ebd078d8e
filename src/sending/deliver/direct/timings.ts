import { TIMINGS as SMTP_TIMINGS, type Timings } from '../smtp/timings.ts';

/** Less patience where nothing is at stake: there may be another host, and most are not written to again soon. */
export const TIMINGS: Timings = { ...SMTP_TIMINGS, connectMs: 15_000, idleMs: 10_000 };
