import type { Connection } from './connection.ts';
import type { Transfer } from './transfer.ts';

/** Where a connection gets its messages from, and who hears of its end. */
export interface ConnectionOwner {
  next(connection: Connection): Transfer | undefined;
  /** Nothing of the transfer was handed over: it may be sent on another connection. */
  giveBack(transfer: Transfer): void;
  /**
   * The connection has ended. Said once, and before what was on it is settled or given back.
   * @param wasLost with something on it
   */
  gone(connection: Connection, wasLost: boolean): void;
}
