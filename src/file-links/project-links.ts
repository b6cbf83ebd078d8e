/** The links of all mailboxes of a project, for its admins. */
import { sql } from 'kysely';
import { recordChange } from '../accounts/audit.ts';
import type { DashboardFileLinkList } from '../contract/dashboard/file-links.ts';
import { columnsOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { encodeId } from '../model/ids.ts';
import { readAllowance } from './allowance.ts';
import { idOfCursor } from './file-links.ts';
import { LINK_STATE, stateOf } from './link-rows.ts';
import { revokeLinks } from './revoke-links.ts';

const PAGE = 50;

const PROJECT_LINK = columnsOf({
  ...LINK_STATE.kinds,
  id: 'uuid',
  mailboxId: 'uuid',
  mailbox: 'text',
  files: 'int4',
  octets: 'float8',
  isWhole: 'bool',
  names: 'text[]',
  downloadedOctets: 'float8',
  createdAt: 'timestamptz',
  lastDownloadAt: 'timestamptz?',
});
const MAILBOX = columnsOf({ mailbox: 'text' });

/**
 * The links of a project, newest first. File names leave the database only if the project's settings allow it.
 * @throws AppError validation-failed
 */
export async function listProjectLinks(
  database: Database,
  projectId: string,
  cursor: string | null,
): Promise<DashboardFileLinkList> {
  const { live, allowed } = await readAllowance(database, projectId);
  const project = await database
    .selectFrom('projects')
    .select('linkNames')
    .where('id', '=', projectId)
    .executeTakeFirst();
  const showsNames = project?.linkNames === true;
  const { rows } = await PROJECT_LINK.sql`
    select l.id, l.mailbox_id, m.local_part || '@' || m.domain as mailbox, l.expires_at, l.revoked_at, l.max_downloads, l.downloads, l.downloaded_octets::float8, l.created_at,
      f.files, f.octets, f.is_whole, f.names,
      (select max(d.at) from link_downloads d where d.project_id = l.project_id and d.link_id = l.id) as last_download_at
    from file_links l join mailboxes m on m.project_id = l.project_id and m.id = l.mailbox_id cross join lateral (
      select count(*)::int as files, coalesce(sum(octets), 0)::float8 as octets,
        coalesce(bool_and(whole_at is not null), true) as is_whole,
        coalesce(array_agg(name order by position) filter (where ${showsNames}), '{}') as names
      from link_files where project_id = l.project_id and link_id = l.id
    ) f
    where l.project_id = ${projectId} ${cursor === null ? sql`` : sql`and l.id < ${idOfCursor(cursor)}`}
    order by l.id desc limit ${PAGE + 1}`.execute(database);
  const shown = rows.slice(0, PAGE);
  return {
    data: shown.map((row) => ({
      id: encodeId('lnk', row.id),
      mailbox: { id: encodeId('mbx', row.mailboxId), address: row.mailbox },
      state: stateOf(row, row.isWhole),
      files: row.files,
      octets: row.octets,
      names: showsNames ? row.names : null,
      downloads: row.downloads,
      downloaded_octets: row.downloadedOctets,
      last_download_at: row.lastDownloadAt?.toISOString() ?? null,
      created_at: row.createdAt.toISOString(),
      expires_at: row.expiresAt.toISOString(),
    })),
    next: rows.length > PAGE ? encodeId('lnk', shown.at(-1)?.id ?? '') : null,
    live_octets: live,
    allowance_octets: allowed,
    shows_names: showsNames,
  };
}

/** @returns false if the project has no such link */
export async function revokeProjectLink(database: Database, projectId: string, id: string): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    const { rows } = await MAILBOX.sql`
      select m.local_part || '@' || m.domain as mailbox
      from file_links l join mailboxes m on m.project_id = l.project_id and m.id = l.mailbox_id
      where l.project_id = ${projectId} and l.id = ${id}`.execute(tx);
    const [link] = rows;
    if (link === undefined) return false;
    const revoked = await revokeLinks(tx, projectId, sql`l.id = ${id}`);
    if (revoked.length > 0)
      await recordChange(tx, {
        of: { projectId },
        action: 'file-link.revoke',
        target: encodeId('lnk', id),
        // The names of the files and the subject of the message are content of mail, so they are not logged.
        targetName: link.mailbox,
      });
    return true;
  });
}
