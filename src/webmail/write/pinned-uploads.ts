import { sql } from 'kysely';
import type { DatabaseTransaction } from '../../db/database.ts';
import { decodeId } from '../../model/ids.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { inlineUploads } from './clean-html.ts';

/** The ids of the uploads that sanitized HTML shows. */
export function uploadsIn(html: string): string[] {
  return [...inlineUploads(html)].flatMap((id) => decodeId('upl', id) ?? []);
}

/**
 * Stores the images of signatures and canned responses without a time limit, and all others for a day from now. An upload whose last use
 * lies in the infinite future is never removed. Call after each change, in its transaction, under a lock on the mailbox.
 */
export async function pinUploads(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
): Promise<void> {
  await sql`
    with pinned as (
      select unnest(uploads) as id from mailbox_identities where project_id = ${projectId} and mailbox_id = ${mailboxId}
      union select unnest(uploads) from canned_responses where project_id = ${projectId} and mailbox_id = ${mailboxId})
    update uploads set used_at = case when id in (select id from pinned) then 'infinity' else now() end
    where project_id = ${projectId} and mailbox_id = ${mailboxId}
      and (used_at = 'infinity') <> (id in (select id from pinned))`.execute(tx);
}
