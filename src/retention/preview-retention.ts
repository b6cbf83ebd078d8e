/** Counts the emails that new retention settings would delete, before the settings are saved. */
import type { RetentionPreview } from '../contract/dashboard/projects.ts';
import { columnsOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { NIL_UUID } from '../model/ids.ts';
import { firstRetainedId } from './retention-of-projects.ts';

/** Counting stops at this number. A larger count is reported as "more than 100,000". */
const COUNTED_UP_TO = 100_000;

const COUNT = columnsOf({ count: 'int4' });

/** @param days the new settings; an undefined setting deletes nothing */
export async function previewRetention(
  database: Database,
  projectId: string,
  days: { keepDays: number | undefined; keepBodiesDays: number | undefined },
): Promise<RetentionPreview> {
  const project = await database
    .selectFrom('projects')
    .select('bodiesDeletedBefore')
    .where('id', '=', projectId)
    .executeTakeFirst();
  const count = async (from: string, keptDays: number | undefined) => {
    if (keptDays === undefined) return 0;
    const { rows } = await COUNT.sql`
      select count(*)::int as count from (
        select from emails where project_id = ${projectId} and id > ${from} and id < ${firstRetainedId(keptDays)}
        order by id limit ${COUNTED_UP_TO}) e`.execute(database);
    return rows[0]?.count ?? 0;
  };
  return {
    emails: await count(NIL_UUID, days.keepDays),
    bodies: await count(project?.bodiesDeletedBefore ?? NIL_UUID, days.keepBodiesDays),
    counted_up_to: COUNTED_UP_TO,
  };
}
