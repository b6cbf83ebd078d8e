/** Records changes to a user in the log of each organization of the user. */
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { encodeId } from '../model/ids.ts';
import { type Change, recordChange } from './audit.ts';

/** A change to a user who belongs to no organization is not recorded. */
export async function recordUserChange(
  tx: Database | DatabaseTransaction,
  userId: string,
  change: Pick<Change, 'action' | 'before' | 'after'>,
): Promise<void> {
  const rows = await tx
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.userId')
    .select(['m.organizationId', 'u.email'])
    .where('m.userId', '=', userId)
    .orderBy('m.organizationId')
    .execute();
  for (const { organizationId, email } of rows)
    await recordChange(tx, {
      of: { organizationId },
      target: encodeId('usr', userId),
      targetName: email,
      ...change,
    });
}
