/** Limits of files that are sent as links (docs/file-links.md). */
import { DAY_MS } from '../model/day.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Maximum number of bytes of an object. A process has a few of them in memory. */
export const PART_BYTES = 4 * MIB;
/** The least bytes of a part, except the last one of a file and some small ones: each costs a row and an object. */
export const MIN_PART_BYTES = 256 * KIB;
/** The number of parts below the minimum size that a file may have: it is added to the size of the file divided by that minimum. */
export const SMALL_PARTS = 64;
/**
 * Concurrent writes of parts in a process: a single one leaves the disk idle between two. More are hardly faster, and delay other durable writes and
 * users of the four threads in which Node reads files.
 */
export const WRITES_AT_ONCE = 3;
/** The bytes of one download that are in memory. */
export const READ_BYTES = 256 * KIB;

/** The default lifetime of a link. */
export const LINK_MS = 14 * DAY_MS;
/** The longest lifetime, from creation. */
export const MAX_LINK_MS = 90 * DAY_MS;
/** A file that is incomplete, or in no link, is abandoned this long after its last byte. */
export const LOOSE_MS = DAY_MS;
/** How long an ended link is listed for its owner. */
export const SHOWN_MS = 30 * DAY_MS;
/** After the last allowed download of a link began: it may continue, and be resumed, for this long. */
export const LAST_DOWNLOAD_MS = DAY_MS;
/** Maximum number of files of a mailbox that are incomplete, or in no link. */
export const MAX_LOOSE_FILES = 200;
/** Maximum number of open links of a mailbox. */
export const MAX_OPEN_LINKS = 1_000;
export const MAX_RECENT_DOWNLOADS = 100;
