/** A page of a project's emails, newest first (docs/contract.md, listEmails). */
import type { EmailList, ListEmailsQuery } from '../../contract/emails.ts';
import type { Read } from '../../db/fair-reads.ts';
import { cursorOf } from '../../model/cursor.ts';
import { EMAIL_STAGES } from '../../model/email-status.ts';
import { encodeId, firstUuidAt, NIL_UUID, timeOf } from '../../model/ids.ts';
import { findEmails, type Range } from './find-emails.ts';
import { filtersOf } from './list-filters.ts';

const DEFAULT_LIMIT = 50;
const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The end of a page (docs/contract.md, Cursor). The time is the time in the id. Only the id decides where the page ends. */
export const EMAILS_END = cursorOf('emails', { createdAt: 'text', id: 'uuid' });

export function encodeEmailsEnd(id: string): string {
  return EMAILS_END.encode({ createdAt: timeOf(id).toISOString(), id });
}

/**
 * Lists one page. Every page costs the same, and emails accepted in the meantime do not shift later pages.
 * @throws AppError validation-failed for an invalid cursor or address
 */
export async function listEmails(read: Read, projectId: string, query: ListEmailsQuery): Promise<EmailList> {
  const limit = query.limit ?? DEFAULT_LIMIT;
  const range = rangeOf(query);
  const rows = await findEmails(read, projectId, filtersOf(query), range, limit + 1);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    data: page.map((row) => ({
      id: encodeId('em', row.id),
      status: EMAIL_STAGES[row.status] ?? 'queued',
      subject: row.subject,
      from: row.sender,
      to: row.toList,
      created_at: timeOf(row.id).toISOString(),
      scheduled_at: row.scheduledAt?.toISOString() ?? null,
    })),
    next_cursor: rows.length > limit && last !== undefined ? encodeEmailsEnd(last.id) : null,
  };
}

/** Returns both bounds even if the query has none, so that the prepared statement is always the same. */
function rangeOf({ cursor, since, until }: ListEmailsQuery): Range {
  const ends = [LAST_UUID];
  if (cursor !== undefined) ends.push(EMAILS_END.decode(cursor).id);
  if (until !== undefined) ends.push(firstUuidAt(new Date(until)));
  return {
    before: ends.sort()[0] ?? LAST_UUID,
    from: since === undefined ? NIL_UUID : firstUuidAt(new Date(since)),
  };
}
