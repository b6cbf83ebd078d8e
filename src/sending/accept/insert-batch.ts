/** The one transaction behind the 202 of a batch: all of its emails are there, or none. */
import { sql } from 'kysely';
import { uuidArray } from '../../db/arrays.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { limitsAccepting, type Plan } from '../../model/plans.ts';
import { claimKeys, insertRows, type NewEmail } from './insert-emails.ts';
import { admitEmails, type InsertOutcome } from './insert-within-limits.ts';

export interface NewBatch {
  plan: Plan;
  /** Of one project, at least one. The first has the idempotency key of all, if there is one. */
  emails: readonly NewEmail[];
}

/** What became of a batch. Refused: nothing is written, because of the email at that place. */
export type BatchOutcome = { outcome: InsertOutcome; at: number };

export async function insertBatch(database: Database, { plan, emails }: NewBatch): Promise<BatchOutcome> {
  return database.transaction().execute(async (tx) => {
    const outcomes = limitsAccepting(plan) ? await admitEmails(tx, emails) : [];
    const at = outcomes.findIndex((outcome) => outcome !== 'accepted');
    if (at >= 0) return { outcome: outcomes[at] as InsertOutcome, at };
    if ((await claimKeys(tx, emails)).size > 0) return { outcome: 'key-taken', at: 0 };
    await rememberAll(tx, emails);
    await insertRows(tx, emails);
    return { outcome: 'accepted', at: 0 };
  });
}

/** The key was just taken for the first email: the answer has to be the same again. */
async function rememberAll(tx: DatabaseTransaction, emails: readonly NewEmail[]): Promise<void> {
  const [first] = emails;
  if (first === undefined || first.idempotency === null) return;
  await sql`
    update idempotency_keys set email_ids = ${uuidArray(emails.map(({ emailId }) => emailId))}::uuid[]
    where project_id = ${first.projectId} and key = ${first.idempotency.key}`.execute(tx);
}
