/** Stores the weekly digests that are due in the outbox. */
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { NIL_UUID } from '../../model/ids.ts';
import type { WeeklyDigest } from '../channel.ts';
import { IS_ENTITLED } from '../entitled.ts';
import { insertMessage } from '../messages.ts';
import { isQuietFor } from '../quiet-hours.ts';
import { nextDigestAt } from './next-digest.ts';

/** The number of digests that one statement reads. */
const SLICE = 50;

const DUE = columnsOf({
  id: 'uuid',
  userId: 'uuid',
  projectId: 'uuid',
  timeZone: 'text',
  quietFrom: 'int2?',
  quietUntil: 'int2?',
  digestAt: 'timestamptz',
});
export type DueDigest = RowOf<typeof DUE>;

/** Reads the next digests that are due, in the order of their subscriptions. Digests in quiet hours stay due. @yields one at a time */
export async function* dueDigests(database: Database): AsyncGenerator<DueDigest, void, void> {
  for (let after = NIL_UUID; ; ) {
    const { rows } = await DUE.sql`
      select s.id, s.user_id, s.project_id, s.time_zone, s.quiet_from, s.quiet_until, s.digest_at
      from alert_subscriptions s
      where s.digest_at <= ${clock.now()} and s.enabled and s.project_id is not null and s.id > ${after} and ${IS_ENTITLED}
      order by s.id limit ${SLICE}`.execute(database);
    for (const row of rows) if (!isQuietFor(row, clock.now())) yield row;
    const last = rows.at(-1);
    if (last === undefined || rows.length < SLICE) return;
    after = last.id;
  }
}

/**
 * Stores a digest, and when the next one is due, in one transaction. So a process that is killed stores neither, and of several processes
 * only one stores the digest.
 * @param digest null: there is nothing to send
 */
export async function storeDigest(
  database: Database,
  { id, digestAt, timeZone }: DueDigest,
  digest: WeeklyDigest | null,
): Promise<void> {
  await database.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('alertSubscriptions')
      .set({ digestAt: nextDigestAt(clock.nowMs(), timeZone) })
      .where('id', '=', id)
      .where('digestAt', '=', digestAt)
      .where('enabled', '=', true)
      .executeTakeFirst();
    if (numUpdatedRows === 1n && digest !== null)
      await insertMessage(tx, id, { type: 'digest.weekly', ...digest });
  });
}
