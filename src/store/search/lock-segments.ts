import { sql } from 'kysely';
import type { DatabaseTransaction } from '../../db/database.ts';
import type { MailboxKey } from '../lock-mailboxes.ts';

/**
 * Locks the set of segments of a mailbox until the transaction ends, because the range of a segment depends on the earlier segments.
 * Readers do not take this lock.
 */
export async function lockSegments(tx: DatabaseTransaction, { mailboxId }: MailboxKey): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`search/${mailboxId}`}, 0))`.execute(tx);
}
