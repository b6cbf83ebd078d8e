/** A link as visitors see it, found by the token in its URL. */
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import type { FileScan } from '../../model/file-scans.ts';
import { linkTokenDigest } from '../tokens.ts';
import { SCAN_WAIT_MS } from './limits.ts';

const LINK = columnsOf({
  projectId: 'uuid',
  id: 'uuid',
  passwordHash: 'text?',
  expiresAt: 'timestamptz',
  /** The number of downloads that are left; null if unlimited. */
  downloadsLeft: 'int4?',
});

export interface OpenedLink extends RowOf<typeof LINK> {
  sender: { name: string | null; address: string };
  /** The files in the order that the sender chose. */
  files: readonly OpenedFile[];
}

export interface OpenedFile {
  /** uuid */
  id: string;
  position: number;
  /** The name from the sender's browser. */
  name: string;
  type: string;
  octets: number;
  /** The checksum of the whole file. */
  crc32: number;
  /** When the last byte arrived; null while the upload is in progress. */
  wholeAt: Date | null;
  /** The result of the scan; null if the file was not scanned yet. `unscanned`: the file is larger than the scanner accepts. */
  scan: FileScan | null;
  /** Whether the download is allowed without a scan result, because the scanner has taken too long. */
  isWaitOver: boolean;
}

const OPENED_LINK = columnsOf({
  ...LINK.kinds,
  name: 'text?',
  address: 'text',
  files:
    shaped<
      (Omit<OpenedFile, 'wholeAt' | 'isWaitOver'> & { wholeAt: number | null; isWaitOver: boolean | null })[]
    >('json'),
});

/** 128 bits in base64url: 21 characters with six bits each, and a last character with two bits. */
const TOKEN = /^[\w-]{21}[AQgw]$/;

/**
 * Finds an open link. Null for a link that never existed, has expired, or was revoked, so that guessing reveals nothing. A link that has no
 * downloads left is still found, because its last download may be resumed.
 */
export async function findOpenedLink(database: Database, token: string): Promise<OpenedLink | null> {
  if (!TOKEN.test(token)) return null;
  const { rows } = await OPENED_LINK.sql`
    select l.project_id, l.id, l.password_hash, l.expires_at,
      case when l.max_downloads is not null then greatest(l.max_downloads - l.downloads, 0) end as downloads_left,
      nullif(m.display_name, '') as name, m.local_part || '@' || m.domain as address,
      (select coalesce(json_agg(json_build_object(
          'id', f.id, 'position', f.position, 'name', f.name, 'type', f.type, 'octets', f.octets,
          'crc32', coalesce(f.crc32, 0), 'wholeAt', extract(epoch from f.whole_at) * 1000, 'scan', f.scan,
          'isWaitOver', f.whole_at < now() - ${SCAN_WAIT_MS} * interval '1 millisecond'
        ) order by f.position), '[]')
        from link_files f where f.project_id = l.project_id and f.link_id = l.id and f.gone_at is null) as files
    from file_links l join mailboxes m on m.project_id = l.project_id and m.id = l.mailbox_id
    where l.token_digest = ${linkTokenDigest(token)} and l.revoked_at is null and l.expires_at > now()`.execute(
    database,
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { name, address, files, ...link } = row;
  return {
    ...link,
    sender: { name, address: address.normalize('NFC') },
    files: files.map((file) => ({
      ...file,
      wholeAt: file.wholeAt === null ? null : new Date(file.wholeAt),
      isWaitOver: file.isWaitOver ?? false,
    })),
  };
}
