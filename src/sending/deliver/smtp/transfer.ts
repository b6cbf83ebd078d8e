import type { OutboundMessage, Outcome } from '../provider.ts';
import { Transcript } from './transcript.ts';

/** A message on its way over SMTP, over as many connections as that takes. */
export interface Transfer {
  readonly message: OutboundMessage;
  /** What was said on all its connections. */
  readonly transcript: Transcript;
  /** It was on a connection before, which ended without the content being handed over. */
  retried: boolean;
  /** When its transaction began; null while it waits for a connection. */
  begunAtMs: number | null;
  /** Called once. */
  settle(outcome: Outcome): void;
}

export function newTransfer(message: OutboundMessage, settle: Transfer['settle']): Transfer {
  return { message, transcript: new Transcript(), retried: false, begunAtMs: null, settle };
}

/** Where a connection gets its messages from, and who hears of its end. */
export interface ConnectionOwner<Connection> {
  next(connection: Connection): Transfer | undefined;
  /** Nothing of the transfer was handed over: it may be sent on another connection. */
  giveBack(transfer: Transfer): void;
  /**
   * The connection has ended. Said once, and before what was on it is settled or given back.
   * @param wasLost with something on it
   */
  gone(connection: Connection, wasLost: boolean): void;
}
