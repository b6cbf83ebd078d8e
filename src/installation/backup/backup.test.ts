// Runs in its own process: it changes the clock, and ids created later would stay ahead of it.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  createWriteStream,
  existsSync,
  mkdtempSync,
  openSync,
  closeSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { after, before, describe, test } from 'node:test';
import { constants, createZstdCompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { sql } from 'kysely';
import { newEmail, queueEmails } from '../../../test/support/emails.ts';
import { olderDatabase, recordReplaced, REPLACED_MIGRATIONS } from '../../../test/support/before-baseline.ts';
import {
  emptyDatabase,
  sealedDatabase,
  type TestDatabase,
  testDatabase,
} from '../../../test/support/postgres.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { newShop } from '../../../test/support/projects.ts';
import { insertEmails } from '../../sending/accept/insert-emails.ts';
import * as clock from '../../model/clock.ts';
import { DAY_MS } from '../../model/day.ts';
import { Blobs, MAX_ROW_BYTES } from '../../blobs/blobs.ts';
import { ObjectFiles } from '../../blobs/object-files.ts';
import type { ObjectName } from '../../blobs/object-store.ts';
import { announceFile } from '../../file-links/announce-file.ts';
import { LinkFiles } from '../../file-links/link-files.ts';
import { LinkUploads } from '../../file-links/link-uploads.ts';
import { readMessageFacts } from '../../store/facts/message-facts.ts';
import { Store } from '../../store/store.ts';
import { OBJECT_LOCK } from '../../db/object-lock.ts';
import type { Database } from '../../db/database.ts';
import { StartupError } from '../../model/startup-error.ts';
import { migrate } from '../../db/migrate.ts';
import { listPartitions } from '../../db/partition-changes.ts';
import { ensurePartitions } from '../../db/partitions.ts';
import { parseMigration, readMigrations } from '../../db/migration-files.ts';
import { backUp } from './back-up.ts';
import { EXCLUDED_TABLES } from './catalog.ts';
import { openBackup } from './open-backup.ts';
import { restore } from './restore.ts';
import { writeBackup } from './write-backup.ts';

const folder = mkdtempSync(join(tmpdir(), 'posthorn-backup-'));
const file = join(folder, 'all.tar.zst');
const objects = new ObjectFiles(join(folder, 'blobs'));
const elsewhere = new ObjectFiles(join(folder, 'restored'));
const BODIES = ['tab\tand\nlines\r\n\\N \\. "quoted", ünï', 'x'.repeat(3 * 1024 * 1024)];
let source: TestDatabase;
before(async () => {
  source = await sealedDatabase();
  // Moves the clock ahead, so that the database has partitions like a database that was in use for a while.
  clock.learnTime(Date.now() + 8 * DAY_MS, performance.now(), performance.now());
  await ensurePartitions(source.database, 1);
  await newShop(source.database, 'shop', { localPart: 'sales' });
  await queueEmails(source.database, 50);
  await insertEmails(
    source.database,
    BODIES.map((text) => newEmail({ text, tags: ['a', 'b'], headers: { 'X-A': '1' } })),
  );
  await receiveMail(source.database);
  await uploadFile(source.database);
  await writeBackup(source.url, null, objects, file);
});
after(async () => {
  // Resets the clock, because other test files may run in this process.
  clock.learnTime(Date.now(), performance.now(), performance.now());
  await source[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const LARGE = randomBytes(MAX_ROW_BYTES * 2);
/** The bytes of a file that was sent as a link. */
const FILE = randomBytes(1_000);
let mailbox: { projectId: string; mailboxId: string };
let linkFile: { projectId: string; id: string };

/** Stores a small and a large message in one mailbox. */
async function receiveMail(database: Database): Promise<void> {
  const { projectId, id } = await database
    .selectFrom('mailboxes')
    .select(['projectId', 'id'])
    .executeTakeFirstOrThrow();
  mailbox = { projectId, mailboxId: id };
  const blobs = new Blobs(database, objects);
  const store = new Store(database);
  for (const bytes of [Buffer.from('Subject: small\r\n\r\n'), LARGE])
    await store.append([
      {
        ...mailbox,
        folder: { role: 'inbox' },
        blob: await blobs.prepare(projectId, bytes),
        facts: readMessageFacts(bytes),
        flags: 0,
        keywords: [],
        internalDate: null,
        authentication: null,
        spam: null,
      },
    ]);
}

async function uploadFile(database: Database): Promise<void> {
  const octets = FILE.length;
  const id = await announceFile(database, mailbox, { name: 'large', type: '', octets });
  linkFile = { projectId: mailbox.projectId, id };
  await new LinkUploads(database, objects).receive(
    { ...mailbox, id },
    { offset: 0, octets: Readable.from([FILE], { objectMode: false }), checksum: null },
  );
}

async function uidValidities(database: Database): Promise<number[]> {
  const { rows } = await sql<{ uidValidity: number }>`
    select uid_validity::float8 as uid_validity from folders order by id`.execute(database);
  return rows.map(({ uidValidity }) => uidValidity);
}

async function restoreTo(
  url: string,
  from = file,
  into = elsewhere,
  migrations = readMigrations(),
): Promise<void> {
  await restore({
    url,
    backup: await openBackup(from),
    objects: into,
    settings: () => [{ name: 'marked', value: 'restored' }],
    beforeCommit: () => {},
    migrations,
  });
}

/** The number and a digest of the rows of every table of a database. */
async function contents(database: Database): Promise<Record<string, string>> {
  const tables = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    order by relname`.execute(database);
  const found: Record<string, string> = {};
  for (const { name } of tables.rows.filter((table) => !EXCLUDED_TABLES.includes(table.name))) {
    const { rows } = await sql<{ digest: string }>`
      select count(*) || ' ' || md5(coalesce(string_agg(t::text, '' order by t::text), '')) as digest
      from ${sql.table(name)} t where t::text not like '(marked,%'`.execute(database);
    found[name] = rows[0]?.digest ?? '';
  }
  return found;
}

/** Writes a changed copy of the backup, and returns its path. */
function damaged(name: string, change: (bytes: Buffer) => Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, change(readFileSync(file)));
  return path;
}

/** The number of bytes that Node reads from a file at a time. */
const READ_BYTES = 64 * 1024;

/**
 * A backup followed by an empty frame, as Node sometimes writes it. The frame starts in the last five bytes of a 64 KiB read and continues
 * in the next read.
 */
function withDividedEmptyFrame(): string {
  const tar = zstdDecompressSync(readFileSync(file));
  // The first random bytes may make the text beside them longer, so several reads are tried.
  const filler = randomBytes(16 * READ_BYTES);
  const packing = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };
  const endsThere = (frame: Buffer): boolean => frame.length % READ_BYTES === READ_BYTES - 5;
  let frame = zstdCompressSync(tar, packing);
  // Bytes after the end of a tar file are ignored. The added bytes are random, because random bytes cannot be compressed.
  for (let more = 1; !endsThere(frame) && more < filler.length; ) {
    frame = zstdCompressSync(Buffer.concat([tar, filler.subarray(0, more)]), packing);
    const missing = (2 * READ_BYTES - 5 - (frame.length % READ_BYTES)) % READ_BYTES;
    more += missing > 64 ? missing - 64 : 1;
  }
  assert.ok(endsThere(frame));
  return damaged('divided', () => Buffer.concat([frame, zstdCompressSync(Buffer.alloc(0), packing)]));
}

function flipByte(path: string, at: number): void {
  const bytes = Buffer.alloc(1);
  const opened = openSync(path, 'r+');
  readSync(opened, bytes, 0, 1, at);
  writeSync(opened, Buffer.of((bytes[0] ?? 0) ^ 1), 0, 1, at);
  closeSync(opened);
}

describe('a backup', () => {
  test('a backup includes large messages, and a restore writes large messages to another store', async () => {
    await using target = await emptyDatabase();
    const { header } = await openBackup(file);
    assert.ok(header.includes.includes('objects'));
    const otherStore = new ObjectFiles(join(folder, 'other-place'));
    await restoreTo(target.url, file, otherStore);
    const { rows } = await sql<{ digest: Buffer }>`
      select c.digest from message_contents c order by octets`.execute(target.database);
    assert.equal(rows.length, 2);
    const blobs = new Blobs(target.database, otherStore);
    const large = await blobs.open(mailbox.projectId, rows[1]?.digest ?? Buffer.alloc(0));
    assert.deepEqual(await large?.read(), LARGE);
    const pieces: Buffer[] = [];
    const end = FILE.length;
    for await (const piece of new LinkFiles(target.database, otherStore).read(linkFile, { start: 0, end }))
      pieces.push(piece);
    assert.deepEqual(Buffer.concat(pieces), FILE, 'a file of a link');
    const small = await blobs.open(mailbox.projectId, rows[0]?.digest ?? Buffer.alloc(0));
    assert.equal((await small?.read())?.toString(), 'Subject: small\r\n\r\n');
  });

  test('a restore gives every folder a new, unique UIDVALIDITY that is higher than all earlier values', async () => {
    await using target = await emptyDatabase();
    await restoreTo(target.url);
    const [before, after] = [await uidValidities(source.database), await uidValidities(target.database)];
    assert.equal(after.length, before.length);
    assert.ok(Math.min(...after) > Math.max(...before));
    assert.equal(new Set(after).size, after.length);
    const { rows } = await sql<{ highest: number }>`
      select uid_validity::float8 as highest from mailbox_states`.execute(target.database);
    assert.equal(rows[0]?.highest, Math.max(...after));
  });

  test('a backup fails if a large message is missing or damaged', async () => {
    const nowhere = join(folder, 'without.tar.zst');
    const empty = new ObjectFiles(join(folder, 'empty'));
    await assert.rejects(writeBackup(source.url, null, empty, nowhere), /of a message is missing/);
    const other = {
      get: () => Promise.resolve(Buffer.from('other')),
      put: () => Promise.resolve(),
      delete: () => Promise.resolve(),
    };
    await assert.rejects(writeBackup(source.url, null, other, nowhere), /is damaged/);
    assert.equal(existsSync(nowhere), false);
  });

  test('a backup fails if the disk returns other data than was written, and the previous backup stays', async () => {
    const backedUp = join(folder, 'read-back.tar.zst');
    writeFileSync(backedUp, 'the one before');
    const unfinished = `${backedUp}.unfinished-${process.pid}`;
    // Damages the bytes that were written before the first large message is read.
    let isSpoilt = false;
    const spoiling = {
      put: () => Promise.resolve(),
      delete: () => Promise.resolve(),
      get: async (name: ObjectName) => {
        assert.ok(await eventually(() => Promise.resolve(statSync(unfinished).size > 0), 5_000));
        // The byte is flipped only once, because a second flip would restore the byte.
        if (!isSpoilt) flipByte(unfinished, Math.floor(statSync(unfinished).size / 2));
        isSpoilt = true;
        return objects.get(name);
      },
    };
    await assert.rejects(writeBackup(source.url, null, spoiling, backedUp), (error) => {
      assert.ok(error instanceof StartupError, String(error));
      assert.match(error.message, /^No backup was made\. The written file differs when it is read back: /);
      return true;
    });
    assert.equal(readFileSync(backedUp, 'utf8'), 'the one before');
    assert.equal(existsSync(unfinished), false);
  });

  test('a backup can be restored if it is followed by an empty frame that is split between two reads', async () => {
    await using target = await emptyDatabase();
    await restoreTo(target.url, withDividedEmptyFrame(), new ObjectFiles(join(folder, 'divided-objects')));
    assert.ok((await contents(target.database))['emails']?.startsWith('52 '));
  });

  test('a backup can be restored if an earlier, failed restore has left large messages', async () => {
    await using target = await emptyDatabase();
    const otherStore = new ObjectFiles(join(folder, 'tried'));
    for await (const name of objects.list()) await otherStore.put(name, Buffer.from('half'));
    await restoreTo(target.url, file, otherStore);
    for await (const name of objects.list())
      assert.deepEqual(await otherStore.get(name), await objects.get(name));
  });

  test('the sweeper does not delete objects that a backup in progress has not read yet', async () => {
    const bytes = backUp(source.url, null, objects, () => {});
    await bytes.next();
    const lock = sql<{ mine: boolean }>`select pg_try_advisory_xact_lock(${sql.lit(OBJECT_LOCK)}) as mine`;
    assert.equal((await lock.execute(source.database)).rows[0]?.mine, false);
    await bytes.return();
    assert.ok(
      await eventually(async () => (await lock.execute(source.database)).rows[0]?.mine === true, 5_000),
    );
  });

  test('a restore loads every row of every table into an empty database', async () => {
    await using target = await emptyDatabase();
    await restoreTo(target.url);
    const restored = await contents(target.database);
    const { folders: _, mailbox_states: __, ...others } = await contents(source.database);
    assert.deepEqual({ ...restored, ...others }, restored);
    assert.ok(restored['emails']?.startsWith('52 '));
    for (const table of ['emails', 'events', 'deliveries'])
      assert.deepEqual(
        await listPartitions(target.database, table),
        await listPartitions(source.database, table),
      );
    assert.ok((await listPartitions(target.database)).length > 3);
    const { rows } = await sql`select from settings where name = 'marked'`.execute(target.database);
    assert.equal(rows.length, 1);
  });

  test('a backup contains every table except the tables in EXCLUDED_TABLES, and the schema has no other data to back up', async () => {
    const { rows } = await sql<{ name: string; kind: string }>`
      select relname as name, relkind as kind from pg_class
      where relnamespace = 'public'::regnamespace and relkind not in ('i', 'I', 'v', 'c') and not relispartition`.execute(
      source.database,
    );
    // A sequence or a large object would have to be backed up separately.
    assert.deepEqual(
      rows.filter(({ kind }) => kind !== 'r' && kind !== 'p'),
      [],
    );
    const { header } = await openBackup(file);
    assert.deepEqual(
      [...header.tables.map(({ name }) => name), ...EXCLUDED_TABLES].toSorted(),
      rows.map(({ name }) => name).toSorted(),
    );
  });

  test('a backup is a file that only its owner may read, and an incomplete backup never gets the name of the file', async () => {
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const nowhere = join(folder, 'nowhere.tar.zst');
    await using empty = await emptyDatabase();
    await assert.rejects(writeBackup(empty.url, null, objects, nowhere), /nothing to back up/);
    assert.equal(existsSync(nowhere), false);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.includes('unfinished')),
      [],
    );
  });

  test('a backup contains the data of one moment, without commits made while the backup is written', async () => {
    await using target = await emptyDatabase();
    const backedUp = join(folder, 'meanwhile.tar.zst');
    const before = await contents(source.database);
    const bytes = backUp(source.url, null, objects, () => {});
    const first = await bytes.next();
    await queueEmails(source.database, 20);
    async function* all(): AsyncGenerator<Buffer> {
      yield first.value as Buffer;
      yield* bytes;
    }
    await pipeline(all(), createZstdCompress(), createWriteStream(backedUp));
    await restoreTo(target.url, backedUp);
    const { folders: _, mailbox_states: __, ...others } = before;
    const restored = await contents(target.database);
    assert.deepEqual({ ...restored, ...others }, restored);
  });

  test('a backup with an earlier schema is loaded into that schema, then migrated', async () => {
    await using target = await emptyDatabase();
    const migrations = [
      ...readMigrations(),
      parseMigration(
        '9998-later.sql',
        'alter table emails add column was_there boolean not null default true;',
      ),
      parseMigration('9999-contract.sql', '-- migration: serves from 99.0.0\ndrop table sandbox_messages;'),
    ];
    await restoreTo(target.url, file, elsewhere, migrations);
    assert.deepEqual(
      (await openBackup(file)).header.migrations,
      readMigrations().map(({ name }) => name),
    );
    const { rows } = await sql`select from emails where was_there`.execute(target.database);
    assert.equal(rows.length, 52);
    // As in an upgrade, the migration that removes a part of the schema runs later.
    assert.deepEqual(await migrate(target.url, { migrations }), ['9999-contract.sql']);
  });

  test('a backup by code before the baseline can be restored if the schema is the same', async () => {
    await using older = await olderDatabase();
    await queueEmails(older.database, 2);
    const backedUp = join(folder, 'older.tar.zst');
    await writeBackup(older.url, null, objects, backedUp);
    assert.deepEqual((await openBackup(backedUp)).header.migrations, REPLACED_MIGRATIONS);
    await using target = await emptyDatabase();
    await restoreTo(target.url, backedUp);
    assert.ok((await contents(target.database))['emails']?.startsWith('2 '));
    // The backup can also be restored into a database without rows that has the schema of the backup, but not into a database that the
    // current code created, because its schema is later.
    await using prepared = await olderDatabase();
    await restoreTo(prepared.url, backedUp);
    assert.ok((await contents(prepared.database))['emails']?.startsWith('2 '));
    await using later = await testDatabase();
    await assert.rejects(restoreTo(later.url, backedUp), /its schema is later than that of the backup/);
  });
});

test('a database is not backed up if this version could not restore the backup', async () => {
  await using older = await sealedDatabase();
  await recordReplaced(older.database, REPLACED_MIGRATIONS.slice(0, 12));
  await assert.rejects(writeBackup(older.url, null, objects, join(folder, 'halfway')), (error) => {
    assert.ok(error instanceof StartupError, String(error));
    assert.match(error.message, /Start commit [0-9a-f]{8}/);
    return true;
  });
});

describe('restore rejects', () => {
  let target: TestDatabase;
  before(async () => {
    target = await emptyDatabase();
  });
  after(() => target[Symbol.asyncDispose]());
  const cases: [what: string, from: () => string, why: RegExp][] = [
    [
      'half a file',
      () => damaged('half', (bytes) => bytes.subarray(0, bytes.length / 2)),
      /not a complete backup/,
    ],
    [
      'a file without its end',
      () => damaged('end', (bytes) => bytes.subarray(0, -150)),
      /not a complete backup/,
    ],
    ['a file with a changed byte', () => damaged('byte', flipped), /not a complete backup/],
    ['another kind of file', () => damaged('else', () => Buffer.from('select 1;')), /not a complete backup/],
    ['an empty file', () => damaged('nothing', () => Buffer.alloc(0)), /not a complete backup/],
    ['a missing file', () => join(folder, 'none'), /cannot be read: ENOENT/],
  ];
  for (const [what, from, why] of cases) {
    test(`restore rejects ${what}`, async () => {
      await assert.rejects(restoreTo(target.url, from()), (error) => {
        assert.ok(error instanceof StartupError, String(error));
        assert.match(error.message, why);
        return true;
      });
    });
  }

  test('restore rejects a backup by code before the baseline with another schema', async () => {
    const backup = await openBackup(file);
    for (const [migrations, why] of [
      [REPLACED_MIGRATIONS.slice(0, 50), /Restore it with commit [0-9a-f]{8}/],
      [[...backup.header.migrations, '9999-newer.sql'], /is newer than this one/],
    ] as const) {
      const header = { ...backup.header, migrations: [...migrations] };
      const settings = () => [];
      await assert.rejects(
        restore({
          url: target.url,
          backup: { ...backup, header },
          objects,
          settings,
          beforeCommit: () => {},
        }),
        why,
      );
    }
  });

  test('restore rejects a target database that has rows, or tables of other programs', async () => {
    await using others = await emptyDatabase();
    await sql`create table a ()`.execute(others.database);
    await assert.rejects(restoreTo(others.url), /tables of other programs/);
    // The rejected restores above have left nothing in the database.
    await restoreTo(target.url);
    await assert.rejects(restoreTo(target.url), /empty installation, but the table \w+ has rows/);
  });
});

function flipped(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  const middle = Math.floor(changed.length / 2);
  changed[middle] = (changed[middle] ?? 0) ^ 1;
  return changed;
}
