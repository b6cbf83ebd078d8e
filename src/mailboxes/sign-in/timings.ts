import { fixed } from '../../model/fixed.ts';

/** How long what sessions of mailboxes know is true, in milliseconds. */
export const TIMINGS = fixed({
  /** Sessions look so often whether they may go on, in case a notice was lost: they end within two seconds. */
  lookMs: 1_000,
  /** Notes about changed credentials are kept for so long, and what is to be forgotten is looked for so often. */
  changesKeptMs: 60 * 60_000,
  /** Who has opened a mailbox is written so often. */
  registerMs: 5_000,
  /** The time of a sign-in from the same place is written again after so long. */
  signInsWithinMs: 10 * 60_000,
});
