/** Taking off the queue what nobody has begun. */
import type { DatabaseTransaction } from '../db/database.ts';
import { ADDRESSED_ROW, type AddressedRow, type RowKey } from './fragments.ts';

/**
 * Takes the rows of an email off the queue for which certainly nothing was handed over: those that wait, and those that a worker
 * has merely claimed. It then finds no row to mark as in flight. Where it was first, the row is locked until its mark is committed, and stays.
 * A row with a crash, or in doubt, may have been handed over.
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
