/** Withdraws recipients from the queue before their attempt begins. */
import type { DatabaseTransaction } from '../db/database.ts';
import { ADDRESSED_ROW, type AddressedRow, type RowKey } from './fragments.ts';

/**
 * Deletes the rows of an email that were certainly not handed over to a server: unclaimed rows, and rows that a worker claimed but did not
 * begin. The worker then finds no row to mark as in flight. If the worker marks the row first, its lock delays this statement until the
 * mark is committed, and the row stays. Rows with a crash, or in doubt, may have been handed over and stay too.
 */
export async function withdrawing(
  tx: DatabaseTransaction,
  { projectId, emailId }: Pick<RowKey, 'projectId' | 'emailId'>,
): Promise<AddressedRow[]> {
  const { rows } = await ADDRESSED_ROW.sql`
    with free as (
      select recipient_index from queue
      where project_id = ${projectId} and email_id = ${emailId}
        and not in_flight and not in_doubt and crashes = 0
      order by recipient_index for update
    )
    delete from queue r using free
    where r.project_id = ${projectId} and r.email_id = ${emailId} and r.recipient_index = free.recipient_index
    returning r.project_id, r.email_id, r.recipient_index, r.address`.execute(tx);
  return rows;
}
