/** What bounds files that go out as links (docs/file-links.md). */
import { DAY_MS } from '../model/day.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Of an object. A process holds a few of them in memory. */
export const PART_BYTES = 4 * MIB;
/** Of a part, but for the last one of a file and some small ones: each costs a row and an object. */
export const MIN_PART_BYTES = 256 * KIB;
/** Of a file, beside as many as it would have of the least size. */
export const SMALL_PARTS = 64;
/**
 * Parts that a process has on their way to the disk: one at a time leaves it idle between two. More of them are hardly faster, and what else is to be durable waits
 * behind them, as do those who want one of the four threads in which Node reads files.
 */
export const WRITES_AT_ONCE = 3;
/** Of what is in memory of one download. */
export const READ_BYTES = 256 * KIB;

/** Unless something else is chosen. */
export const LINK_MS = 14 * DAY_MS;
/** From when it was made. */
export const MAX_LINK_MS = 90 * DAY_MS;
/** What is not whole, or in no link, is given up so long after its last byte. */
export const LOOSE_MS = DAY_MS;
/** How long its owner sees a link that is over. */
export const SHOWN_MS = 30 * DAY_MS;
/** Since the last download of a link that has no more: it may go on, and be resumed. */
export const LAST_DOWNLOAD_MS = DAY_MS;
/** Of one mailbox that are in no link, or not whole. */
export const MAX_LOOSE_FILES = 200;
/** Of one mailbox that are open. */
export const MAX_OPEN_LINKS = 1_000;
export const MAX_RECENT_DOWNLOADS = 100;
