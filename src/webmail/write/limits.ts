/** What bounds the writing of a mailbox (docs/web-client.md, Writing). */
import { DAY_MS } from '../../model/day.ts';

const MB = 1024 * 1024;

/** Of a message as it goes out, with all that is attached, as submission takes it. */
export const MAX_MESSAGE_BYTES = 40 * MB;
export const MAX_SCHEDULE_DAYS = 365;
export const MAX_SCHEDULE_MS = MAX_SCHEDULE_DAYS * DAY_MS;
/** A time that is over by less is now, as with emails of the API: a request that is sent again must not fail for that. */
export const PAST_IS_NOW_MS = 5 * 60_000;
/** What waits to be sent. It takes nothing of the quota of the mailbox. */
export const MAX_OUTGOING = 200;

/** Of one mailbox, those in drafts too. */
export const MAX_UPLOADS = 1_000;
export const MAX_UPLOAD_BYTES = 500 * MB;
/** Uploads that are on their way at the same moment: each holds a piece in memory. */
export const MAX_OPEN_UPLOADS = 32;
/** Slow lines of one project leave places for others. */
export const MAX_OPEN_OF_PROJECT = 16;
export const MAX_OPEN_OF_MAILBOX = 4;
/** Uploads are kept in pieces of this size. */
export const PIECE_BYTES = MB;

/** Files that together have no more stand in the message in Drafts; else it says that they will be sent with it. */
export const DRAFT_FILES_BYTES = MB;
export const MAX_WRITTEN_ADDRESSES = 2_000;
