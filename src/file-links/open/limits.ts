/** What a visitor was given opens a link for so long, and no more of it (docs/decisions/0090-the-door-of-file-links.md). */

/** A password is asked for again after this. */
export const PROVED_SECONDS = 60 * 60;
/** Of what one download may fetch, times what there is: what was under way when a connection broke is fetched again. */
export const RESUME_TIMES = 2;
/** A program without a ticket goes on from the same network so long after its download broke off. */
export const RETURN_MS = 60 * 60_000;
/** What it says that it has is so much less than what went out, at most: that was on its way. */
export const ON_ITS_WAY_BYTES = 16 * 1024 * 1024;
/** A scanner that says nothing of a file for so long is not waited for. */
export const SCAN_WAIT_MS = 60 * 60_000;
