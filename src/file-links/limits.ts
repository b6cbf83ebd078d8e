/** Limits of files that are sent as links (docs/file-links.md). */
import { DAY_MS } from '../model/day.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Maximum number of bytes of an object. A process has a few of them in memory. */
export const PART_BYTES = 4 * MIB;
/** Minimum number of bytes of a part, because each part costs a row and an object. Exceptions: the last part of a file, and `SMALL_PARTS`. */
export const MIN_PART_BYTES = 256 * KIB;
/** A file may have this many parts more than if all its parts had the minimum size, so some parts may be smaller. */
export const SMALL_PARTS = 64;
/**
 * Maximum number of parts that a process writes concurrently. With one, the disk is idle between two writes. More than three are hardly faster, and
 * delay other durable writes and other users of the four threads in which Node accesses files.
 */
export const WRITES_AT_ONCE = 3;
/** Maximum number of bytes that a download reads at a time. */
export const READ_BYTES = 256 * KIB;

/** The default lifetime of a link. */
export const LINK_MS = 14 * DAY_MS;
/** The longest lifetime, from creation. */
export const MAX_LINK_MS = 90 * DAY_MS;
/** A file that is incomplete, or in no link, is abandoned this long after its last byte. */
export const LOOSE_MS = DAY_MS;
/** How long an ended link is listed for its owner. */
export const SHOWN_MS = 30 * DAY_MS;
/** The last allowed download of a link may continue, and be resumed, for this long after its start. */
export const LAST_DOWNLOAD_MS = DAY_MS;
/** Maximum number of files of a mailbox that are incomplete, or in no link. */
export const MAX_LOOSE_FILES = 200;
/** Maximum number of open links of a mailbox. */
export const MAX_OPEN_LINKS = 1_000;
export const MAX_RECENT_DOWNLOADS = 100;
