/** Mailboxes that may not send until an admin has reviewed them (docs/mail-apps.md, When sending is locked). */
import { type RawBuilder, sql } from 'kysely';
import { recordChange } from '../accounts/audit.ts';
import type { Database } from '../db/database.ts';
import { rowIs } from '../db/row-is.ts';
import { encodeId } from '../model/ids.ts';
import type { LockReason } from '../model/lock-reasons.ts';

/**
 * SQL that is true if a mailbox may not send.
 * @param projectId the column with the project's uuid
 * @param mailboxId the column with the mailbox's uuid
 */
export function isLockedForSending(
  projectId: RawBuilder<unknown>,
  mailboxId: RawBuilder<unknown>,
): RawBuilder<boolean> {
  return sql`exists (
    select from sending_locks l
    where l.project_id = ${projectId} and l.mailbox_id = ${mailboxId} and l.locked_at is not null)`;
}

/** Unlocks a mailbox and resets its counts of sent mail. @returns false if the mailbox was not locked */
export async function unlockSending(
  database: Database,
  projectId: string,
  mailboxId: string,
): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('sendingLocks')
      .set({ lockedAt: null, countsFrom: sql`now()` })
      .where((row) => rowIs(row, { projectId, mailboxId }))
      .where('lockedAt', 'is not', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await recordChange(tx, {
      of: { projectId },
      action: 'mailbox.unlock-sending',
      target: encodeId('mbx', mailboxId),
    });
    return true;
  });
}

export interface SendingLock {
  lockedAt: Date;
  reason: LockReason;
}

/** The locked mailboxes of a project, by uuid. */
export async function findSendingLocks(
  database: Database,
  projectId: string,
): Promise<Map<string, SendingLock>> {
  const rows = await database
    .selectFrom('sendingLocks')
    .select(['mailboxId', 'lockedAt', 'reason'])
    .where('projectId', '=', projectId)
    .where('lockedAt', 'is not', null)
    .$narrowType<{ lockedAt: Date }>()
    .execute();
  return new Map(rows.map(({ mailboxId, ...lock }) => [mailboxId, lock]));
}
