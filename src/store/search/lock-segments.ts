import { sql } from 'kysely';
import type { DatabaseTransaction } from '../../db/database.ts';
import type { MailboxKey } from '../lock-mailboxes.ts';

/**
 * Until the transaction ends nobody else changes which segments a mailbox has: what the ones cover that are behind others depends on these.
 * Who reads asks nobody.
 */
export async function lockSegments(tx: DatabaseTransaction, { mailboxId }: MailboxKey): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`search/${mailboxId}`}, 0))`.execute(tx);
}
