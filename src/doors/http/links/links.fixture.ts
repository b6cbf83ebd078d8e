/** Serves file links from a real database on a port. The contents of files are in memory. */
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { sql } from 'kysely';
import { newMailbox } from '../../../../test/support/mail.ts';
import { sealedDatabase, type TestDatabase } from '../../../../test/support/postgres.ts';
import { quickHash } from '../../../../test/support/quick-hash.ts';
import { columnsOf, type RowOf, shaped } from '../../../db/columns.ts';
import { openDatabase } from '../../../db/database.ts';
import { FairReads } from '../../../db/fair-reads.ts';
import { LinkDoor } from '../../../file-links/open/link-door.ts';
import { FILE_LINKS_KEY, LinkProofs } from '../../../file-links/open/link-proofs.ts';
import type { ReadFile } from '../../../file-links/read-file.ts';
import { linkTokenDigest, newLinkToken } from '../../../file-links/tokens.ts';
import { newUuid } from '../../../model/ids.ts';
import { startTestApi, type TestApi } from '../api.fixture.ts';
import type { HttpOptions } from '../server.ts';

export interface FileFields {
  name?: string;
  type?: string;
  content?: Buffer;
  /** The recorded length, if it differs from the length of `content`. */
  octets?: number;
  isWhole?: boolean;
  scan?: 'clean' | 'infected' | 'unscanned' | null;
  /** Minutes since the last byte arrived. */
  ageMinutes?: number;
}

const COUNTED = columnsOf({
  downloads: 'int4',
  octets: 'float8',
  rows: shaped<{ octets: number; what: string }[]>('json'),
});

interface LinkFields {
  files?: readonly FileFields[];
  password?: string;
  maxDownloads?: number;
  /** Seconds until the link expires. */
  seconds?: number;
  isRevoked?: boolean;
}

export interface LinkFixture {
  projectId: string;
  id: string;
  token: string;
  path: string;
}

export interface LinkWorld extends AsyncDisposable {
  db: TestDatabase;
  door: LinkDoor;
  proofs: LinkProofs;
  baseUrl: string;
  newLink(fields?: LinkFields): Promise<LinkFixture>;
  /** The download counters of the link. */
  counted(link: LinkFixture): Promise<RowOf<typeof COUNTED>>;
  /** Starts another process of the same service. */
  another(options?: Partial<HttpOptions>): Promise<TestApi>;
  /** If not null, reads of files wait for this promise. */
  hold: Promise<void> | null;
}

const PIECE = 100_000;

export async function openLinks({
  hasScanner = false,
  ...options
}: Partial<HttpOptions> & { hasScanner?: boolean } = {}): Promise<LinkWorld> {
  const stack = new AsyncDisposableStack();
  const db = stack.use(await sealedDatabase());
  const { database, sealer } = db;
  const { projectId, mailboxId } = await newMailbox(database);
  const contents = new Map<string, Buffer>();
  const proofs = new LinkProofs(sealer.deriveKey(FILE_LINKS_KEY));
  const read: ReadFile = async function* ({ id }, { start, end }) {
    const content = contents.get(id)?.subarray(start, end) ?? Buffer.alloc(0);
    for (let at = 0; at < content.length; at += PIECE) {
      yield content.subarray(at, at + PIECE);
      await world.hold;
    }
  };
  const another = async (more: Partial<HttpOptions> = {}) => {
    const own = stack.adopt(openDatabase(db.url), (each) => each.destroy());
    const door = stack.use(new LinkDoor({ database: own, reads: new FairReads(own, 4) }));
    return stack.use(
      await startTestApi({
        ...options,
        ...more,
        fileLinks: { door, proofs, read, hasScanner, address: { baseUrl: null } },
      }),
    );
  };
  const world: LinkWorld = {
    db,
    door: stack.use(new LinkDoor({ database, reads: new FairReads(database, 2) })),
    proofs,
    baseUrl: '',
    another,
    hold: null,
    async newLink({ files = [{}], password, maxDownloads, seconds = 3_600, isRevoked = false } = {}) {
      const token = newLinkToken();
      const id = newUuid();
      const hash = password === undefined ? null : quickHash(password);
      await sql`insert into file_links (project_id, mailbox_id, id, token_digest, token_sealed, password_hash, expires_at, max_downloads,
          revoked_at, is_for_draft, created_at)
        values (${projectId}, ${mailboxId}, ${id}, ${linkTokenDigest(token)}, '', ${hash}, now() + ${seconds} * interval '1 second',
          ${maxDownloads ?? null}, ${isRevoked ? new Date() : null}, false, now())`.execute(database);
      for (const [position, file] of files.entries()) {
        const { name = 'a.txt', type = '', content = randomBytes(300_000), scan = null } = file;
        const { octets = content.length, isWhole = true, ageMinutes = 0 } = file;
        const fileId = newUuid();
        contents.set(fileId, content);
        const at = new Date(Date.now() - ageMinutes * 60_000);
        await sql`insert into link_files (project_id, mailbox_id, id, link_id, position, name, type, octets, received, crc32, whole_at, scan,
            created_at, touched_at)
          values (${projectId}, ${mailboxId}, ${fileId}, ${id}, ${position}, ${name.replaceAll('\0', '').toWellFormed()}, ${type}, ${octets},
            ${isWhole ? octets : 0}, ${crc32(content)}, ${isWhole ? at : null}, ${scan}, ${at}, ${at})`.execute(
          database,
        );
      }
      return { projectId, id, token, path: `/s/${token}` };
    },
    async counted(link) {
      const { rows } = await COUNTED.sql`
        select downloads, downloaded_octets::float8 as octets,
          (select coalesce(json_agg(json_build_object('octets', octets, 'what', what) order by id), '[]')
            from link_downloads where link_id = l.id) as rows
        from file_links l where id = ${link.id}`.execute(database);
      const [row] = rows;
      if (row === undefined) throw new Error('the link is gone');
      return row;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
  world.baseUrl = (await another()).baseUrl;
  return world;
}
