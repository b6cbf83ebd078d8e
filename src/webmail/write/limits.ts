/** Limits for writing mail (docs/web-client.md, Writing). */
import { DAY_MS } from '../../model/day.ts';

const MB = 1024 * 1024;

/** Maximum size of a message as sent, with attachments. The same limit as for submission. */
export const MAX_MESSAGE_BYTES = 40 * MB;
export const MAX_SCHEDULE_DAYS = 365;
export const MAX_SCHEDULE_MS = MAX_SCHEDULE_DAYS * DAY_MS;
/** A send time less than this long ago means now, as in the API for emails, so that a retried request does not fail. */
export const PAST_IS_NOW_MS = 5 * 60_000;
/** Maximum number of messages waiting to be sent. Such messages do not count towards the quota of the mailbox. */
export const MAX_OUTGOING = 200;

/** The maximum number of uploads of a mailbox, including the uploads in drafts. */
export const MAX_UPLOADS = 1_000;
export const MAX_UPLOAD_BYTES = 500 * MB;
/** The maximum number of concurrent uploads. Each upload holds one piece in memory. */
export const MAX_OPEN_UPLOADS = 32;
/** The maximum number of concurrent uploads per project. Leaves slots for other projects if one project uploads over slow connections. */
export const MAX_OPEN_OF_PROJECT = 16;
export const MAX_OPEN_OF_MAILBOX = 4;
/** Uploads are stored in pieces of this size. */
export const PIECE_BYTES = MB;

/**
 * The maximum total size of the files in the message in Drafts. The message has a note that the other files are attached when the message
 * is sent.
 */
export const DRAFT_FILES_BYTES = MB;
