/** Deletes data according to the settings of projects. Each function is a generator that yields after each batch. */
import { sql } from 'kysely';
import { columnsOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import * as clock from '../model/clock.ts';
import { DAY_MS } from '../model/day.ts';
import { firstUuidAt, NIL_UUID } from '../model/ids.ts';
import { deleteBodies } from './delete-bodies.ts';
import { deleteEndedEmails } from './delete-emails.ts';
import { deletingLog } from './delete-log.ts';
import { among, BATCH, type DeletionJob, deleting } from './deleting.ts';
import type { TIMINGS } from './timings.ts';

const EMAIL_KEY = columnsOf({ projectId: 'uuid', emailId: 'uuid' });
const WAITING_BODIES = columnsOf({ ...EMAIL_KEY.kinds, redacts: 'bool' });

export interface RetainingProject {
  id: string;
  keepDays: number | null;
  keepBodiesDays: number | null;
  bodiesDeletedBefore: string | null;
}

/** The projects with a retention setting. */
export function findRetainingProjects(database: Database): Promise<RetainingProject[]> {
  return database
    .selectFrom('projects')
    .select(['id', 'keepDays', 'keepBodiesDays', 'bodiesDeletedBefore'])
    .where((row) => row.or([row('keepDays', 'is not', null), row('keepBodiesDays', 'is not', null)]))
    .orderBy('id')
    .execute();
}

/** The smallest id that is not older than this many days. */
export function firstRetainedId(days: number): string {
  return firstUuidAt(new Date(clock.nowMs() - days * DAY_MS));
}

/** Deletes the emails of a project whose ids are lower than `before`, except emails with pending work. */
export async function* deletingEmails(database: Database, projectId: string, before: string): DeletionJob {
  for (let after = NIL_UUID; ; ) {
    const ids = await idsOfEmails(database, projectId, after, before);
    if (ids.length === 0) return;
    const { emailIds } = await deleting(database, (tx) => deleteEndedEmails(tx, projectId, ids));
    yield emailIds.length;
    after = ids.at(-1) ?? before;
  }
}

/**
 * Deletes the bodies of a project's emails whose ids are lower than `before`. Bodies that pending recipients still need are deleted later.
 */
export async function* deletingBodies(
  database: Database,
  project: RetainingProject,
  before: string,
): DeletionJob {
  const { id: projectId } = project;
  for (let after = project.bodiesDeletedBefore ?? NIL_UUID; ; ) {
    const ids = await idsOfEmails(database, projectId, after, before);
    const last = ids.at(-1);
    if (last === undefined) return;
    const emails = await deleting(database, async (tx) => {
      await tx
        .updateTable('projects')
        .set({ bodiesDeletedBefore: last })
        .where('id', '=', projectId)
        .execute();
      return deleteBodies(tx, projectId, ids, false);
    });
    yield emails;
    after = last;
  }
}

/** Deletes the bodies that could not be deleted earlier, as soon as no recipient needs them any more. */
export async function* deletingWaitingBodies(database: Database): DeletionJob {
  for (let after = { projectId: NIL_UUID, emailId: NIL_UUID }; ; ) {
    const { rows } = await WAITING_BODIES.sql`
      select project_id, email_id, redacts from waiting_bodies w
      where (project_id, email_id) > (${after.projectId}, ${after.emailId})
        and not exists (
          select from queue q where q.project_id = w.project_id and q.email_id = w.email_id offset 0
        )
      order by project_id, email_id limit ${BATCH}`.execute(database);
    const last = rows.at(-1);
    if (last === undefined) return;
    for (const [key, group] of Map.groupBy(rows, ({ projectId, redacts }) => `${projectId} ${redacts}`)) {
      const [projectId = ''] = key.split(' ');
      const ids = group.map(({ emailId }) => emailId);
      yield await deleting(database, (tx) =>
        deleteBodies(
          tx,
          projectId,
          ids,
          group.some(({ redacts }) => redacts),
        ),
      );
    }
    after = last;
  }
}

/** How many days sandbox copies are retained. They are there to be looked at after sending, not as a record of sent mail. */
const SANDBOX_DAYS = 7;

/** Deletes sandbox copies after their retention. */
export async function* deletingSandboxCopies(database: Database): DeletionJob {
  const before = firstRetainedId(SANDBOX_DAYS);
  for (let after = { projectId: NIL_UUID, emailId: NIL_UUID }; ; ) {
    const { rows } = await EMAIL_KEY.sql`
      select project_id, email_id from sandbox_messages
      where (project_id, email_id) > (${after.projectId}, ${after.emailId}) and email_id < ${before}
      order by project_id, email_id limit ${BATCH}`.execute(database);
    const last = rows.at(-1);
    if (last === undefined) return;
    for (const [projectId, copies] of Map.groupBy(rows, (row) => row.projectId))
      await database
        .deleteFrom('sandboxMessages')
        .where('projectId', '=', projectId)
        .where('emailId', '=', among(copies.map(({ emailId }) => emailId)))
        .execute();
    yield rows.length;
    after = last;
  }
}

/** Deletes all data of a project that is older than the settings of the project allow. */
export async function* deletingExpiredOf(
  database: Database,
  project: RetainingProject,
  { commitMs }: Pick<typeof TIMINGS, 'commitMs'>,
): DeletionJob {
  const { id: projectId, keepDays, keepBodiesDays } = project;
  if (keepDays !== null) {
    const before = firstRetainedId(keepDays);
    yield* deletingEmails(database, projectId, before);
    const webhooks = await database
      .selectFrom('webhooks')
      .select('id')
      .where('projectId', '=', projectId)
      .orderBy('id')
      .execute();
    for (const { id } of webhooks) yield* deletingLog(database, { projectId, webhookId: id }, 'over', before);
  }
  if (keepBodiesDays !== null) {
    const settled = firstUuidAt(new Date(clock.nowMs() - commitMs));
    const before = firstRetainedId(keepBodiesDays);
    yield* deletingBodies(database, project, before < settled ? before : settled);
  }
  yield* deletingRejected(database, project);
}

/** Deletes the entries of the API log that are older than the emails or bodies that the project retains. */
async function* deletingRejected(
  database: Database,
  { id: projectId, keepDays, keepBodiesDays }: RetainingProject,
): DeletionJob {
  const isOld = (days: number | null) => (days === null ? sql`false` : sql`id < ${firstRetainedId(days)}`);
  for (let deleted = BATCH; deleted === BATCH; ) {
    // Skip rows that the expiry of the whole log or an erasure deletes at the same time.
    const { numAffectedRows } = await sql`
      delete from rejected_requests where project_id = ${projectId} and id = any (array(
        select id from rejected_requests
        where project_id = ${projectId} and (${isOld(keepDays)} or (has_content and ${isOld(keepBodiesDays)}))
        order by id limit ${BATCH} for update skip locked))`.execute(database);
    deleted = Number(numAffectedRows);
    if (deleted > 0) yield deleted;
  }
}

async function idsOfEmails(
  database: Database,
  projectId: string,
  after: string,
  before: string,
): Promise<string[]> {
  const rows = await database
    .selectFrom('emails')
    .select('id')
    .where('projectId', '=', projectId)
    .where('id', '>', after)
    .where('id', '<', before)
    .orderBy('id')
    .limit(BATCH)
    .execute();
  return rows.map(({ id }) => id);
}
