import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import { testLinkFiles } from '../../test/support/link-file-behaviors.ts';
import { eventually } from '../../test/support/eventually.ts';
import { newMailbox } from '../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { type S3Server, startS3Server } from '../../test/support/s3-server.ts';
import { ObjectBucket } from '../blobs/object-bucket.ts';
import { ObjectFiles } from '../blobs/object-files.ts';
import { Sealer } from '../db/seal.ts';
import * as clock from '../model/clock.ts';
import { decodeId, encodeId, newUuid } from '../model/ids.ts';
import type { MailboxKey } from '../store/lock-mailboxes.ts';
import { announceFile } from './announce-file.ts';
import { FileLinks } from './file-links.ts';
import { LinkUploads } from './link-uploads.ts';
import { sweepingFileLinks } from './sweep-file-links.ts';

const folder = mkdtempSync(join(tmpdir(), 'posthorn-links-'));
const objects = new ObjectFiles(folder);
let db: TestDatabase;
let mailbox: MailboxKey;
let links: FileLinks;
before(async () => {
  db = await testDatabase();
  const sealer = await Sealer.create('secret', randomBytes(16));
  links = new FileLinks({ database: db.database, sealer, address: () => 'http://localhost' });
});
beforeEach(async () => {
  mailbox = await newMailbox(db.database);
});
after(async () => {
  await db[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

async function file(sent = 10): Promise<string> {
  const id = await announceFile(db.database, mailbox, { name: 'a.bin', type: '', octets: 10 });
  if (sent > 0)
    await new LinkUploads(db.database, objects).receive(
      { ...mailbox, id },
      { offset: 0, octets: Readable.from([Buffer.alloc(sent)], { objectMode: false }), checksum: null },
    );
  return id;
}

async function link(draft: string | null = null): Promise<string> {
  const made = await links.create(mailbox, { files: [encodeId('fil', await file())], draft });
  return decodeId('lnk', made.id) ?? '';
}

async function sweep(): Promise<void> {
  for await (const _ of sweepingFileLinks(db.database, objects));
}

async function left(): Promise<{ objects: number; live: number; links: number }> {
  let count = 0;
  for await (const _ of objects.list(mailbox.projectId)) count += 1;
  const { rows } = await sql<{ live: number; links: number }>`
    select (select count(*) from link_files where project_id = ${mailbox.projectId} and gone_at is null)::int as live,
      (select count(*) from file_links where project_id = ${mailbox.projectId})::int as links`.execute(
    db.database,
  );
  return { objects: count, ...(rows[0] ?? { live: -1, links: -1 }) };
}

const backdate = (column: string, table: string, id: string, span: string) =>
  sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sql.ref(column)} - ${span}::interval where id = ${id}`.execute(
    db.database,
  );

test('the sweep keeps new files, whether complete or incomplete, in a link or in no link', async () => {
  await file();
  await file(0);
  await link();
  await sweep();
  assert.deepEqual(await left(), { objects: 2, live: 3, links: 1 });
});

test('the sweep deletes a file that is incomplete or in no link a day after its last byte', async () => {
  const ids = [await file(), await file(0)];
  const unfinished = await file(0);
  await links.create(mailbox, { files: [encodeId('fil', unfinished)], draft: null });
  for (const id of [...ids, unfinished]) await backdate('touched_at', 'link_files', id, '25 hours');
  await sweep();
  assert.deepEqual(await left(), { objects: 0, live: 0, links: 1 });
  const [row] = (await links.list(mailbox, null)).data;
  assert.equal(row?.state, 'revoked', 'a link without files');
});

test('the sweep deletes files of expired and revoked links at once, files of used-up links after a day, and the links later', async () => {
  const [expired, revoked, used] = [await link(), await link(), await link()];
  await backdate('expires_at', 'file_links', expired, '15 days');
  await links.revoke(mailbox, revoked);
  await sql`update file_links set max_downloads = 1, downloads = 1 where id = ${used}`.execute(db.database);
  await sql`
    insert into link_downloads (project_id, id, link_id, at, octets, what)
    values (${mailbox.projectId}, gen_random_uuid(), ${used}, ${clock.now()}, 10, 'zip')`.execute(
    db.database,
  );
  await sweep();
  assert.deepEqual(await left(), { objects: 1, live: 1, links: 3 });
  await sql`update link_downloads set at = at - interval '25 hours'`.execute(db.database);
  await sweep();
  assert.deepEqual(await left(), { objects: 0, live: 0, links: 3 });
  for (const id of [expired, used]) await backdate('expires_at', 'file_links', id, '60 days');
  await backdate('revoked_at', 'file_links', revoked, '31 days');
  await sweep();
  assert.deepEqual(await left(), { objects: 0, live: 0, links: 0 });
});

test('the sweep keeps a link whose draft was replaced by a mail app, because the mail app may have sent the message', async () => {
  const id = await link('a-composer-that-writes');
  await sql`update file_links set draft_id = ${newUuid()} where id = ${id}`.execute(db.database);
  await backdate('created_at', 'file_links', id, '3 days');
  await sweep();
  const [left] = (await links.list(mailbox, null)).data;
  assert.deepEqual([left?.state, left?.is_for_draft], ['open', false]);
});

test('the sweep keeps the files of a used-up link whose owner allows more downloads at the same moment', async () => {
  const id = await link();
  await sql`update file_links set max_downloads = 1, downloads = 1 where id = ${id}`.execute(db.database);
  const owner = await db.database.startTransaction().execute();
  await owner.updateTable('fileLinks').set({ maxDownloads: 2 }).where('id', '=', id).execute();
  const swept = sweep();
  const waits = async () => {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
      db.database,
    );
    return rows.length > 0;
  };
  assert.ok(await eventually(waits, 30_000));
  await owner.commit().execute();
  await swept;
  assert.equal((await left()).live, 1);
});

test('the sweep revokes a link made for a message if no draft with the link is saved for a day', async () => {
  const id = await link('a-composer-that-writes');
  await sweep();
  assert.equal((await left()).live, 1);
  await backdate('created_at', 'file_links', id, '25 hours');
  await sweep();
  assert.deepEqual(await left(), { objects: 0, live: 0, links: 1 });
});

test('the sweep deletes the files, links and objects of a deleted mailbox', async () => {
  await link();
  await file();
  await sql`delete from mailboxes where id = ${mailbox.mailboxId}`.execute(db.database);
  await sweep();
  assert.deepEqual(await left(), { objects: 0, live: 0, links: 0 });
});

describe('file links with an S3 bucket', () => {
  let server: S3Server;
  let bucket: ObjectBucket;
  before(async () => {
    server = await startS3Server();
    bucket = new ObjectBucket(server.bucket);
  });
  after(async () => {
    await bucket[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  testLinkFiles(() => bucket);
});
