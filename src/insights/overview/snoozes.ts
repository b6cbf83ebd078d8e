/** Problems on the page Start that a user has hidden for a while, and the next steps. They are hidden from this user alone. */
import { sql } from 'kysely';
import type { Need, Snooze } from '../../contract/dashboard/overview.ts';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { DAY_MS } from '../../model/day.ts';

/** The maximum number of snoozes of a user, over all projects. */
export const MAX_SNOOZES = 100;

interface SnoozesOf {
  projectId: string;
  userId: string;
}

export async function snooze(
  database: Database,
  { projectId, userId }: SnoozesOf,
  { key, level, days }: Snooze,
): Promise<void> {
  if (days === 0) {
    await database
      .deleteFrom('snoozes')
      .where('projectId', '=', projectId)
      .where('userId', '=', userId)
      .where('key', '=', key)
      .execute();
    return;
  }
  const until = new Date(clock.nowMs() + days * DAY_MS);
  await database.transaction().execute(async (tx) => {
    await tx
      .insertInto('snoozes')
      .values({ projectId, userId, key, level, until })
      .onConflict((conflict) =>
        conflict.columns(['projectId', 'userId', 'key']).doUpdateSet({ level, until }),
      )
      .execute();
    // The new snooze is kept, and of the others the ones that end last.
    await sql`
      delete from snoozes where (project_id, user_id, key) in (
        select project_id, user_id, key from snoozes where user_id = ${userId}
        order by project_id = ${projectId} and key = ${key} desc, until desc offset ${MAX_SNOOZES})`.execute(
      tx,
    );
  });
}

/** Marks the needs that the user has hidden, and that have not become worse since. */
export async function withSnoozes(
  database: Database,
  { projectId, userId }: SnoozesOf,
  needs: readonly Need[],
): Promise<Need[]> {
  const rows = await database
    .selectFrom('snoozes')
    .select(['key', 'level', 'until'])
    .where('projectId', '=', projectId)
    .where('userId', '=', userId)
    .where('until', '>', clock.now())
    .execute();
  const hidden = new Map(rows.map((row) => [row.key, row]));
  return needs.map((need) => {
    const found = hidden.get(need.key);
    // No user may overlook that no mail is sent at all.
    const isHidden = need.severity > 1 && found !== undefined && need.level <= found.level;
    return isHidden ? { ...need, snoozed_until: found.until.toISOString() } : need;
  });
}
