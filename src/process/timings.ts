import { fixed } from '../model/fixed.ts';

/** How long the supervisor waits, in milliseconds. */
export const TIMINGS = fixed({
  /** Before something that died is started again: at once after its first death; the last value is for all later ones. */
  restartWaitsMs: [0, 500, 1_000, 2_000, 4_000, 8_000, 10_000],
  /** Before a start tries again to use a database that is away, at the most; the last value is for all later ones. */
  databaseWaitsMs: [1_000, 2_000, 4_000, 5_000],
  /** How long a port may be in use at the start. */
  portPatienceMs: 1_000,
  /** From SIGTERM to the exit: this long for what is in flight, the rest for PostgreSQL's checkpoint. */
  childrenPatienceMs: 9_000,
  patienceMs: 9_700,
});
