import type { Connection } from './connection.ts';
import type { Job } from './job.ts';

/** Where a connection gets its messages from, and who hears of its end. */
export interface ConnectionOwner {
  next(connection: Connection): Job | undefined;
  /** Nothing of the job was handed over: it may be sent on another connection. */
  giveBack(job: Job): void;
  /**
   * The connection has ended. Said once, and before what was on it is settled or given back.
   * @param wasLost with something on it
   */
  gone(connection: Connection, wasLost: boolean): void;
}
