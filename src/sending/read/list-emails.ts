/** A project's emails, newest first (docs/contract.md, listEmails). */
import { sql } from 'kysely';
import type { EmailList, ListEmailsQuery } from '../../contract/emails.ts';
import type { Database } from '../../db/database.ts';
import { validationError } from '../../model/app-error.ts';
import { EMAIL_STAGES, rankOf } from '../../model/email-status.ts';
import { encodeId, firstUuidAt, timeOf } from '../../model/ids.ts';
import { parseMailbox } from '../../rfc/address/index.ts';

const DEFAULT_LIMIT = 50;
const CURSOR =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})$/;

/**
 * Keyset pages over the primary key: a UUIDv7 sorts by the time of acceptance, so a page costs the same wherever it
 * is, and emails that arrive meanwhile move nothing.
 * @throws AppError validation-failed for a cursor or an address that cannot be
 */
export async function listEmails(
  database: Database,
  projectId: string,
  query: ListEmailsQuery,
): Promise<EmailList> {
  const limit = query.limit ?? DEFAULT_LIMIT;
  let select = database
    .selectFrom('emails')
    .select(['id', 'status', 'subject', 'sender', 'toList'])
    .where('projectId', '=', projectId)
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (query.cursor !== undefined) select = select.where('id', '<', decodeCursor(query.cursor));
  if (query.since !== undefined) select = select.where('id', '>=', firstUuidAt(new Date(query.since)));
  if (query.until !== undefined) select = select.where('id', '<', firstUuidAt(new Date(query.until)));
  if (query.status !== undefined) select = select.where('status', '=', rankOf(query.status));
  if (query.tag !== undefined) select = select.where(sql<boolean>`tags @> array[${query.tag}]::text[]`);
  if (query.from !== undefined) select = select.where('senderAddress', '=', addressOf(query.from, 'from'));
  if (query.to !== undefined) {
    const address = addressOf(query.to, 'to');
    select = select.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('recipients')
          .select('recipients.recipientIndex')
          .whereRef('recipients.projectId', '=', 'emails.projectId')
          .whereRef('recipients.emailId', '=', 'emails.id')
          .where('recipients.address', '=', address),
      ),
    );
  }
  const rows = await select.execute();
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
    })),
    next_cursor: rows.length > limit && last !== undefined ? encodeCursor(last.id) : null,
  };
}

/** Addresses are compared in normal form, however they are written. */
function addressOf(text: string, field: 'from' | 'to'): string {
  const mailbox = parseMailbox(text);
  if ('error' in mailbox) throw validationError({ [field]: mailbox.error });
  return mailbox.address;
}

/** Opaque to callers: base64url of the time and the id of the last email of a page. */
function encodeCursor(emailId: string): string {
  return Buffer.from(`${timeOf(emailId).toISOString()} ${emailId}`).toString('base64url');
}

/** @throws AppError validation-failed for anything that `encodeCursor` did not write */
function decodeCursor(cursor: string): string {
  const emailId = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[2];
  if (emailId === undefined || encodeCursor(emailId) !== cursor) {
    throw validationError({
      cursor: 'is not a cursor of this list; pass next_cursor of the page before as it is',
    });
  }
  return emailId;
}
