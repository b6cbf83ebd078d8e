import { fixed } from '../model/fixed.ts';

/** How soon others learn of changes, and for how long things are kept, in milliseconds. */
export const TIMINGS = fixed({
  /** Changes of so long are one notice. */
  coalesceMs: 10,
  /** Everybody who shows a mailbox looks so often, in case a notice was lost. */
  lookMs: 60_000,
  /** Between looks for what is old in Junk and Trash: a walk through all mailboxes. */
  emptyingMs: 60 * 60_000,
  /** Between looks for words of deleted mail in the index, which count what it is about. */
  wordsMs: 24 * 60 * 60_000,
  /** For so long a message stays in Junk or Trash. */
  junkKeptMs: 30 * 24 * 60 * 60_000,
  /** For so long a mail app may be away and still learns from a list what is gone (RFC 7162, section 5). */
  vanishedKeptMs: 90 * 24 * 60 * 60_000,
});
