/** Ends links and abandons the bytes of their files. */
import { type RawBuilder, sql } from 'kysely';
import { uuidArray } from '../db/arrays.ts';
import { columnsOf } from '../db/columns.ts';
import type { DatabaseTransaction } from '../db/database.ts';
import * as clock from '../model/clock.ts';

const REVOKED = columnsOf({ id: 'uuid' });

/**
 * Revokes the links of a project whose row `l` matches the condition. After the commit, their files cannot be downloaded and no longer
 * count toward the plan's limit.
 * @returns the ids of the links that were not revoked before
 */
export async function revokeLinks(
  tx: DatabaseTransaction,
  projectId: string,
  condition: RawBuilder<unknown>,
): Promise<string[]> {
  const { rows } = await REVOKED.sql`
    update file_links l set revoked_at = ${clock.now()}
    where l.project_id = ${projectId} and l.revoked_at is null and (${condition}) returning l.id`.execute(tx);
  const ids = rows.map(({ id }) => id);
  await abandonFiles(tx, projectId, ids);
  return ids;
}

/**
 * Marks the bytes of the links' files as abandoned, so that `sweepingFileLinks` deletes the objects. The names of the files are retained
 * for the list of links.
 */
export async function abandonFiles(
  tx: DatabaseTransaction,
  projectId: string,
  linkIds: readonly string[],
): Promise<void> {
  if (linkIds.length === 0) return;
  await sql`
    with gone as (
      update link_files set gone_at = ${clock.now()}
      where project_id = ${projectId} and link_id = any(${uuidArray(linkIds)}::uuid[]) and gone_at is null
      returning project_id, id
    )
    delete from link_file_parts p using gone g where p.project_id = g.project_id and p.file_id = g.id`.execute(
    tx,
  );
}
