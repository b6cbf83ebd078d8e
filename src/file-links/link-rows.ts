/** Links with their files, for their owners. */
import { sql } from 'kysely';
import type { FileLink, LinkedFile } from '../contract/mail/file-links.ts';
import { columnsOf, type RowOf, shaped } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import type { Sealer } from '../db/seal.ts';
import * as clock from '../model/clock.ts';
import type { FileLinkState } from '../model/file-link-states.ts';
import type { FileScan } from '../model/file-scans.ts';
import { encodeId } from '../model/ids.ts';
import type { MailboxKey } from '../store/lock-mailboxes.ts';

export const LINK_STATE = columnsOf({
  expiresAt: 'timestamptz',
  revokedAt: 'timestamptz?',
  maxDownloads: 'int4?',
  downloads: 'int4',
});
export type LinkState = RowOf<typeof LINK_STATE>;

const LINK = columnsOf({
  ...LINK_STATE.kinds,
  id: 'uuid',
  tokenSealed: 'text',
  hasPassword: 'bool',
  downloadedOctets: 'float8',
  isForDraft: 'bool',
  subject: 'text?',
  createdAt: 'timestamptz',
  lastDownloadAt: 'timestamptz?',
});

const FILE = columnsOf({
  id: 'uuid',
  linkId: 'uuid',
  name: 'text',
  type: 'text',
  octets: 'float8',
  received: 'float8',
  isWhole: 'bool',
  scan: shaped<FileScan | null>('text?'),
});

/** Whether the link can be used, provided that its files still exist. */
function isOpen({ expiresAt, revokedAt, maxDownloads, downloads }: LinkState): boolean {
  return revokedAt === null && expiresAt > clock.now() && (maxDownloads === null || downloads < maxDownloads);
}

export function stateOf(link: LinkState, isWhole: boolean): FileLinkState {
  if (link.revokedAt !== null) return 'revoked';
  if (link.expiresAt <= clock.now()) return 'expired';
  if (!isOpen(link)) return 'used-up';
  return isWhole ? 'open' : 'uploading';
}

/** The token is sealed for this context, so it cannot be unsealed as anything else. */
export function tokenContext(linkId: string): string {
  return `file_links.token ${linkId}`;
}

interface LinkFilter {
  /** Reads only the link with this ID. Default: all links. */
  id?: string;
  /** Reads only links older than the link with this ID. */
  before?: string;
  limit: number;
}

/** Links of a mailbox, newest first. @param address the base URL of the links' pages, without a trailing slash */
export async function readLinks(
  { database, sealer, address }: { database: Database; sealer: Pick<Sealer, 'open'>; address: string },
  { projectId, mailboxId }: MailboxKey,
  { id, before, limit }: LinkFilter,
): Promise<FileLink[]> {
  const { rows: links } = await LINK.sql`
    select l.id, l.token_sealed, l.password_hash is not null as has_password, l.expires_at, l.max_downloads, l.downloads,
      l.downloaded_octets::float8, l.revoked_at, l.is_for_draft, l.subject, l.created_at,
      (select max(d.at) from link_downloads d where d.project_id = l.project_id and d.link_id = l.id) as last_download_at
    from file_links l
    where l.project_id = ${projectId} and l.mailbox_id = ${mailboxId}
      ${id === undefined ? sql`` : sql`and l.id = ${id}`} ${before === undefined ? sql`` : sql`and l.id < ${before}`}
    order by l.id desc limit ${limit}`.execute(database);
  const files = await readFiles(
    database,
    projectId,
    links.map((link) => link.id),
  );
  return links.map((link) => {
    const own = files.get(link.id) ?? [];
    const token = sealer.open(link.tokenSealed, tokenContext(link.id)).toString();
    return {
      id: encodeId('lnk', link.id),
      url: `${address}/s/${token}`,
      files: own,
      octets: own.reduce((sum, { octets }) => sum + octets, 0),
      created_at: link.createdAt.toISOString(),
      expires_at: link.expiresAt.toISOString(),
      state: stateOf(
        link,
        own.every((file) => file.is_whole),
      ),
      has_password: link.hasPassword,
      max_downloads: link.maxDownloads,
      downloads: link.downloads,
      downloaded_octets: link.downloadedOctets,
      last_download_at: link.lastDownloadAt?.toISOString() ?? null,
      subject: link.subject,
      is_for_draft: link.isForDraft,
    };
  });
}

async function readFiles(
  database: Database,
  projectId: string,
  linkIds: readonly string[],
): Promise<Map<string, LinkedFile[]>> {
  const byLink = new Map<string, LinkedFile[]>();
  if (linkIds.length === 0) return byLink;
  const { rows } = await FILE.sql`
    select id, link_id, name, type, octets::float8, received::float8, whole_at is not null as is_whole, scan from link_files
    where project_id = ${projectId} and link_id in (${sql.join(linkIds)}) order by link_id, position`.execute(
    database,
  );
  for (const { id, linkId, isWhole, ...file } of rows) {
    const files = byLink.get(linkId) ?? [];
    files.push({ id: encodeId('fil', id), ...file, is_whole: isWhole });
    byLink.set(linkId, files);
  }
  return byLink;
}
