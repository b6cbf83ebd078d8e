/** Limits for visitors of links: their proofs, resumed downloads, and virus scans (docs/decisions/0090-the-door-of-file-links.md). */

/** The time after which a visitor must enter the password again. */
export const PROVED_SECONDS = 60 * 60;
/**
 * The number of bytes that one download may fetch, as a multiple of the file size. It is more than 1, because bytes that are lost when a
 * connection breaks must be fetched again.
 */
export const RESUME_TIMES = 2;
/** How long after an interruption a program without a ticket can resume its download, from the same network. */
export const RESUME_WITHIN_MS = 60 * 60_000;
/**
 * When a connection breaks, up to this many bytes may have been sent but not received. A program may resume that far before the last sent
 * byte.
 */
export const MAX_UNRECEIVED_BYTES = 16 * 1024 * 1024;
/** If a file still has no scan result after this time, downloads are allowed without one. */
export const SCAN_WAIT_MS = 60 * 60_000;
