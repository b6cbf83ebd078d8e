import type { UidRange } from '../uid-ranges.ts';

/** From the first moment or day to before the last one; null: no bound. */
export interface Period<Time> {
  from: Time | null;
  before: Time | null;
}

/** Which messages of a folder are looked for: a tree. */
export type MessageQuery =
  /** None in it: every message. */
  | { all: readonly MessageQuery[] }
  /** None in it: no message. */
  | { any: readonly MessageQuery[] }
  | { not: MessageQuery }
  | { uids: readonly UidRange[] }
  /** All of these bits of `FLAG`. */
  | { flags: number }
  | { keyword: string }
  | { internalDate: Period<Date> }
  | { saveDate: Period<Date> }
  /** The days that Date fields name (`2026-11-22`), whatever their zones. A message without one counts as of 1970-01-01. */
  | { sentOn: Period<string> }
  /** More octets, or fewer, than this. */
  | { largerThan: number }
  | { smallerThan: number }
  | { modseqFrom: number }
  | { objectId: string }
  | { threadId: string }
  /** Which have a text in their bodies, or anywhere. Case and accents do not count (`search/normal-form.ts`). */
  | { text: string; in: 'bodies' | 'everything' }
  /**
   * Which have a header field with a text in it; empty: which have the field. `isList`: From, To, Cc or Bcc, of whose addresses the list
   * may have the text too, however the field is written (`facts/header-text.ts`).
   */
  | { text: string; field: string; isList?: true };
