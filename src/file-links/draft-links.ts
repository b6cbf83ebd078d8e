/**
 * Links that are created while a message is written. The text of the message shows a card for each link. When the message is sent, the
 * links whose cards it still contains stay valid, and its other links are revoked.
 */
import { sql } from 'kysely';
import { byteaArray } from '../db/arrays.ts';
import type { DatabaseTransaction } from '../db/database.ts';
import type { MailboxKey } from '../store/lock-mailboxes.ts';
import { revokeLinks } from './revoke-links.ts';
import { linkTokenDigest } from './tokens.ts';

/** The maximum number of tokens of a text that are looked up. A text of a megabyte could contain many more. */
const MAX_TOKENS = 1_000;

/** Assigns the links whose tokens a saved draft contains to that draft, even if they were created for another draft. */
export async function assignToDraft(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
  draftId: string,
  tokens: readonly string[],
): Promise<void> {
  if (tokens.length === 0) return;
  await sql`
    update file_links set draft_id = ${draftId}
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and is_for_draft
      and token_digest = any(${digestsOf(tokens)}::bytea[]) and draft_id is distinct from ${draftId}`.execute(
    tx,
  );
}

/**
 * Ends a draft.
 * @param tokens the tokens in the sent message; null if the draft was deleted without being sent
 * @param subject the subject of the sent message
 */
export async function settleDraft(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
  draftId: string,
  tokens: readonly string[] | null,
  subject: string | null,
): Promise<void> {
  if (tokens !== null && tokens.length > 0)
    await sql`
      update file_links set is_for_draft = false, draft_id = null, subject = ${subject}
      where project_id = ${projectId} and mailbox_id = ${mailboxId} and is_for_draft
        and token_digest = any(${digestsOf(tokens)}::bytea[])`.execute(tx);
  await revokeLinks(
    tx,
    projectId,
    sql`l.mailbox_id = ${mailboxId} and l.is_for_draft and l.draft_id = ${draftId}`,
  );
}

function digestsOf(tokens: readonly string[]): Buffer {
  return byteaArray([...new Set(tokens)].slice(0, MAX_TOKENS).map(linkTokenDigest));
}
