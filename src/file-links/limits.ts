/** Limits on files that are sent as links (docs/file-links.md). */
import { DAY_MS } from '../model/day.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** The maximum size of a part, in bytes. Each part is stored as one object. A process has a few parts in memory. */
export const PART_BYTES = 4 * MIB;
/**
 * The minimum size of a part, in bytes, because each part costs a row and an object. The last part of a file may be smaller, and so may
 * `SMALL_PARTS` other parts.
 */
export const MIN_PART_BYTES = 256 * KIB;
/** A file may have this many parts more than if all its parts had `MIN_PART_BYTES`, so some of its parts may be smaller. */
export const SMALL_PARTS = 64;
/**
 * The maximum number of parts that a process writes concurrently. With one write at a time, the disk would be idle between two writes. With
 * more than three, writing is hardly faster, but other writes that must be durable wait longer, and so does other work for the four threads
 * in which Node accesses files.
 */
export const WRITES_AT_ONCE = 3;
/** Maximum number of bytes that a download reads at a time. */
export const READ_BYTES = 256 * KIB;

/** The default lifetime of a link. */
export const LINK_MS = 14 * DAY_MS;
/** The longest lifetime of a link, from its creation. */
export const MAX_LINK_MS = 90 * DAY_MS;
/** A file that is incomplete, or in no link, is deleted this long after its last byte arrived. */
export const UNLINKED_MS = DAY_MS;
/** The time for which an ended link is listed for its owner. */
export const SHOWN_MS = 30 * DAY_MS;
/** The last allowed download of a link may continue, or be resumed, for this long after it started. */
export const LAST_DOWNLOAD_MS = DAY_MS;
/** The maximum number of a mailbox's files that are incomplete, or in no link. */
export const MAX_UNLINKED_FILES = 200;
/** Maximum number of open links of a mailbox. */
export const MAX_OPEN_LINKS = 1_000;
export const MAX_RECENT_DOWNLOADS = 100;
