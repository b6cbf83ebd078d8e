import type { UidRange } from '../uid-ranges.ts';

/** A period from one time or day (inclusive) to another (exclusive). Null means no bound. */
export interface Period<Time> {
  from: Time | null;
  before: Time | null;
}

/** A query for messages in a folder, as a tree. */
export type MessageQuery =
  /** All of these queries match. An empty list matches all messages. */
  | { all: readonly MessageQuery[] }
  /** At least one of these queries matches. An empty list matches no message. */
  | { any: readonly MessageQuery[] }
  | { not: MessageQuery }
  | { uids: readonly UidRange[] }
  /** Messages with all of these bits of `FLAG`. */
  | { flags: number }
  | { keyword: string }
  | { internalDate: Period<Date> }
  | { saveDate: Period<Date> }
  /** The days in Date fields (`2026-11-22`), regardless of their zones. A message without a valid Date counts as sent on 1970-01-01. */
  | { sentOn: Period<string> }
  /** Messages with more octets than `largerThan`, or with fewer octets than `smallerThan`. */
  | { largerThan: number }
  | { smallerThan: number }
  | { modseqFrom: number }
  | { objectId: string }
  | { threadId: string }
  /** Messages with a text in their bodies, or anywhere in the message. Ignores case and accents (`search/normal-form.ts`). */
  | { text: string; in: 'bodies' | 'everything' }
  /**
   * Messages with a text in a header field. An empty text matches messages that have the field. `isList`: the field is From, To, Cc or Bcc,
   * whose normalized address list is searched too (`facts/header-text.ts`).
   */
  | { text: string; field: string; isList?: true };
