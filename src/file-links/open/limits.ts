/** Limits for visitors of links: their proofs, resumed downloads, and virus scans (docs/decisions/0090-the-door-of-file-links.md). */

/** The time after which a visitor must enter the password again. */
export const PROVED_SECONDS = 60 * 60;
/**
 * The number of bytes that one download may fetch, as a multiple of the file size. More than the file size is allowed, because bytes in
 * flight when a connection breaks are fetched again.
 */
export const RESUME_TIMES = 2;
/** The time after the interruption in which a program without a ticket can resume a download from the same network. */
export const RESUME_WITHIN_MS = 60 * 60_000;
/**
 * The maximum number of sent bytes that a program may not have received when it resumes, because they were in flight when the connection
 * broke.
 */
export const MAX_UNRECEIVED_BYTES = 16 * 1024 * 1024;
/** The time after which downloads of a file are allowed without a scan result. */
export const SCAN_WAIT_MS = 60 * 60_000;
