/** Abandons unneeded files and links, then deletes the objects of abandoned files (docs/decisions/0089-file-links.md). */
import { type RawBuilder, sql } from 'kysely';
import type { ObjectStore } from '../blobs/object-store.ts';
import { columnsOf, type RowOf } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { OBJECT_LOCK } from '../db/object-lock.ts';
import * as clock from '../model/clock.ts';
import { LAST_DOWNLOAD_MS, UNLINKED_MS, SHOWN_MS } from './limits.ts';
import { abandonFiles, revokeLinks } from './revoke-links.ts';

/** The number of links or files per batch. Each batch has its own transaction, because a file may have tens of thousands of parts. */
const BATCH = 20;
const OBJECTS = 200;

/** The key of a link, a file or an object. */
const KEY = columnsOf({ projectId: 'uuid', id: 'uuid' });
const LOCKED = columnsOf({ mine: 'bool' });
const FOUND = columnsOf({ isAny: 'bool' });

/** @param session a connection without any other transaction */
export async function* sweepingFileLinks(
  session: Database,
  objects: Pick<ObjectStore, 'delete'>,
): AsyncGenerator<number, void> {
  if (await isAnyFound(session)) yield* abandoningFiles(session);
  yield* deletingObjects(session, objects);
}

const ago = (ms: number): Date => new Date(clock.nowMs() - ms);

/** Usually there is nothing to abandon, and one statement shows that. */
async function isAnyFound(session: Database): Promise<boolean> {
  const all = [
    unlinkedFiles(ago(UNLINKED_MS)),
    linksOfLostDrafts(),
    linksOfNoDraft(ago(UNLINKED_MS)),
    linksWithFiles(hasExpired(clock.now())),
    linksWithFiles(isUsedUp(ago(LAST_DOWNLOAD_MS))),
    forgottenLinks(ago(SHOWN_MS)),
  ];
  const { rows } = await FOUND.sql`
    select ${sql.join(
      all.map((found) => sql`exists (${found})`),
      sql` or `,
    )} as is_any`.execute(session);
  return rows[0]?.isAny === true;
}

async function* abandoningFiles(session: Database): AsyncGenerator<number, void> {
  yield* inBatches(session, unlinkedFiles(ago(UNLINKED_MS)), async (tx, { projectId, id }) => {
    const file = await tx
      .deleteFrom('linkFiles')
      .where('projectId', '=', projectId)
      .where('id', '=', id)
      // A byte may have arrived since the query.
      .where('touchedAt', '<', ago(UNLINKED_MS))
      .where((row) => row.or([row('linkId', 'is', null), row('wholeAt', 'is', null)]))
      .returning('linkId')
      .executeTakeFirst();
    if ((file?.linkId ?? null) === null) return;
    await revokeLinks(
      tx,
      projectId,
      sql`l.id = ${file?.linkId} and not exists (
        select from link_files f where f.project_id = l.project_id and f.link_id = l.id)`,
    );
  });
  yield* inBatches(session, linksOfLostDrafts(), async (tx, { projectId, id }) => {
    await sql`
      update file_links l set is_for_draft = false, draft_id = null
      where l.project_id = ${projectId} and l.id = ${id} and ${hasLostDraft()}`.execute(tx);
  });
  yield* inBatches(session, linksOfNoDraft(ago(UNLINKED_MS)), async (tx, { projectId, id }) => {
    await revokeLinks(tx, projectId, sql`l.id = ${id} and ${isOfNoDraft(ago(UNLINKED_MS))}`);
  });
  for (const isOver of [hasExpired(clock.now()), isUsedUp(ago(LAST_DOWNLOAD_MS))])
    yield* inBatches(session, linksWithFiles(isOver), async (tx, { projectId, id }) => {
      // The owner may have extended the link's lifetime or its number of downloads since the query.
      const { rows } = await sql`
        select from file_links l where l.project_id = ${projectId} and l.id = ${id} and (${isOver}) for update`.execute(
        tx,
      );
      if (rows.length > 0) await abandonFiles(tx, projectId, [id]);
    });
  yield* inBatches(session, forgottenLinks(ago(SHOWN_MS)), async (tx, { projectId, id }) => {
    await tx.deleteFrom('fileLinks').where('projectId', '=', projectId).where('id', '=', id).execute();
  });
}

async function* inBatches(
  session: Database,
  found: RawBuilder<unknown>,
  work: (tx: DatabaseTransaction, found: RowOf<typeof KEY>) => Promise<void>,
): AsyncGenerator<number, void> {
  for (;;) {
    const { rows } = await KEY.sql`${found} limit ${BATCH}`.execute(session);
    for (const each of rows) await session.transaction().execute((tx) => work(tx, each));
    if (rows.length > 0) yield rows.length;
    if (rows.length < BATCH) return;
  }
}

function unlinkedFiles(before: Date): RawBuilder<unknown> {
  return sql`
    select project_id, id from link_files
    where gone_at is null and (link_id is null or whole_at is null) and touched_at < ${before}`;
}

/**
 * A condition on the row `l` of a link: the draft of the link no longer exists. A mail app may have sent, changed or deleted the draft,
 * and this code cannot distinguish these cases. Since a sent link must remain valid, such a link no longer depends on a draft.
 */
function hasLostDraft(): RawBuilder<unknown> {
  return sql`l.is_for_draft and l.revoked_at is null and l.draft_id is not null and not exists (
    select from drafts d where d.project_id = l.project_id and d.mailbox_id = l.mailbox_id and d.id = l.draft_id)`;
}

function linksOfLostDrafts(): RawBuilder<unknown> {
  return sql`select l.project_id, l.id from file_links l where ${hasLostDraft()}`;
}

/** A condition on the row `l` of a link: no draft was ever saved with the link's card. */
function isOfNoDraft(before: Date): RawBuilder<unknown> {
  return sql`l.is_for_draft and l.draft_id is null and l.created_at < ${before}`;
}

function linksOfNoDraft(before: Date): RawBuilder<unknown> {
  return sql`select l.project_id, l.id from file_links l where l.revoked_at is null and ${isOfNoDraft(before)}`;
}

/** A condition on the row `l` of a link: the link has expired. */
function hasExpired(now: Date): RawBuilder<unknown> {
  return sql`l.expires_at <= ${now}`;
}

/** A condition on the row `l` of a link: no downloads are left, and the last download can no longer be resumed. */
function isUsedUp(before: Date): RawBuilder<unknown> {
  return sql`l.downloads >= l.max_downloads and not exists (
    select from link_downloads d where d.project_id = l.project_id and d.link_id = l.id and d.at >= ${before})`;
}

function linksWithFiles(isOver: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select l.project_id, l.id from file_links l where ${isOver} and exists (
      select from link_files f where f.project_id = l.project_id and f.link_id = l.id and f.gone_at is null)`;
}

function forgottenLinks(before: Date): RawBuilder<unknown> {
  return sql`select project_id, id from file_links where expires_at < ${before} or revoked_at < ${before}`;
}

/** Deletes objects, but not during a backup, because a backup reads rows first and their objects later. */
async function* deletingObjects(
  session: Database,
  objects: Pick<ObjectStore, 'delete'>,
): AsyncGenerator<number, void> {
  for (;;) {
    const names = await session.transaction().execute(async (tx) => {
      const { rows: locks } = await LOCKED.sql`
        select pg_try_advisory_xact_lock(${sql.lit(OBJECT_LOCK)}) as mine`.execute(tx);
      if (locks[0]?.mine !== true) return [];
      const { rows } = await KEY.sql`
        delete from gone_objects where (project_id, object) in (
          select project_id, object from gone_objects limit ${OBJECTS})
        returning project_id, object as id`.execute(tx);
      return rows;
    });
    // If the process crashes before the deletion, the objects become stray objects and are deleted later.
    for (const name of names) await objects.delete(name);
    if (names.length > 0) yield names.length;
    if (names.length < OBJECTS) return;
  }
}
