/** Limits for visitors of links: their proofs, resumed downloads, and virus scans (docs/decisions/0090-the-door-of-file-links.md). */

/** A visitor must enter the password again after this time. */
export const PROVED_SECONDS = 60 * 60;
/** One download may fetch this many times the size of its file: bytes in flight when a connection broke are fetched again. */
export const RESUME_TIMES = 2;
/** A program without a ticket can resume a download from the same network within this time after the interruption. */
export const RETURN_MS = 60 * 60_000;
/** A program that resumes may have received at most this many bytes less than were sent: they were in flight when the connection broke. */
export const ON_ITS_WAY_BYTES = 16 * 1024 * 1024;
/** If a file has no scan result after this time, downloads are allowed without one. */
export const SCAN_WAIT_MS = 60 * 60_000;
