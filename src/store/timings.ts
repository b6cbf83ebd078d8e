import { fixed } from '../model/fixed.ts';

/** Delays of notices and jobs, and retention times. */
export const TIMINGS = fixed({
  /** Changes within this time are combined into one notice. */
  coalesceMs: 10,
  /** The poll interval of sessions, for the case that a notice is lost. */
  pollMs: 60_000,
  /** Interval between passes for old messages in Junk and Trash. Each pass visits all mailboxes. */
  emptyingMs: 60 * 60_000,
  /** Interval between passes for words of deleted mail in the index. Each pass counts the remaining messages of all segments. */
  wordsMs: 24 * 60 * 60_000,
  /** Retention time of messages in Junk and Trash. */
  junkRetentionMs: 30 * 24 * 60 * 60_000,
  /**
   * Retention time for the records of expunged messages. A mail app that was offline for less time gets a list of the expunged messages
   * (RFC 7162, section 5).
   */
  vanishedRetentionMs: 90 * 24 * 60 * 60_000,
});
