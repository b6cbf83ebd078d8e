/** How long a visitor's proof or ticket is valid for a link (docs/decisions/0090-the-door-of-file-links.md). */

/** The password is requested again after this. */
export const PROVED_SECONDS = 60 * 60;
/** One download may fetch this many times the size: bytes in flight when a connection broke are fetched again. */
export const RESUME_TIMES = 2;
/** A program without a ticket can resume from the same network within this time after its download was cut off. */
export const RETURN_MS = 60 * 60_000;
/** What it says that it has is so much less than what went out, at most: that was on its way. */
export const ON_ITS_WAY_BYTES = 16 * 1024 * 1024;
/** A scanner that says nothing of a file for so long is not waited for. */
export const SCAN_WAIT_MS = 60 * 60_000;
