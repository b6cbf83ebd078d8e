import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { environmentOf, posthorn } from '../../../test/support/cli.ts';
import { testDatabase, type TestDatabase } from '../../../test/support/postgres.ts';
import { newShop } from '../../../test/support/projects.ts';
import { FLAG } from '../../store/flags.ts';
import { Store } from '../../store/store.ts';
import { readFolders } from './mail-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'posthorn-mail-files-'));
after(() => rmSync(folder, { recursive: true }));

const LARGE = `Subject: large\r\n\r\n${'abcdefgh\r\n'.repeat(20_000)}`;

/** Creates a Maildir, including symbolic links and an invalid folder name. */
function makeMaildir(root: string): void {
  for (const path of [root, join(root, '.Sent'), join(root, '.Projekte.&ANw-bung'), join(root, '.&bad')])
    for (const part of ['tmp', 'new', 'cur']) mkdirSync(join(path, part), { recursive: true });
  const put = (path: string, text: string, seconds: number) => {
    writeFileSync(join(root, path), text);
    utimesSync(join(root, path), seconds, seconds);
  };
  put('cur/1.a:2,FSa', 'Subject: one\n\nFrom me\n', 1_000_000_000);
  put('new/2.a', 'Subject: two\r\n\r\n>From me\r\n', 1_100_000_000);
  put('.Sent/cur/3.a:2,S', LARGE, 1_200_000_000);
  put('.&bad/cur/8.a:2,S', 'Subject: eight\r\n\r\n', 1_300_000_001);
  put('.&bad/new/9.a', 'Subject: nine\r\n\r\n', 1_300_000_002);
  put('.Projekte.&ANw-bung/cur/4.a:2,RT', 'Subject: four\r\n\r\n', 1_300_000_000);
  writeFileSync(join(root, 'dovecot-keywords'), '0 $Forwarded\n');
  symlinkSync('/etc/hostname', join(root, 'cur', '5.a:2,S'));
  symlinkSync('/', join(root, '.Link'));
}

interface Shown {
  folder: string;
  subject: string;
  flags: number;
  keywords: string[];
  seconds: number;
  octets: number;
}

async function contents({ database }: TestDatabase): Promise<Shown[]> {
  const { projectId, id } = await database
    .selectFrom('mailboxes')
    .select(['projectId', 'id'])
    .executeTakeFirstOrThrow();
  const store = new Store(database);
  const mailbox = { projectId, mailboxId: id };
  const found: Shown[] = [];
  for (const { id: folderId, name } of await store.folders(mailbox))
    for (const message of await store.page({ ...mailbox, folderId }, null, 200)) {
      const { subject, flags, keywords, octets, internalDate } = message;
      found.push({ folder: name, subject, flags, keywords, octets, seconds: internalDate.getTime() / 1_000 });
    }
  return found.sort((a, b) => a.seconds - b.seconds);
}

async function run(db: TestDatabase, ...args: string[]) {
  const env = { ...environmentOf(db), POSTHORN_DATA: join(folder, 'data') };
  const mailboxArgs = ['--project', 'shop', '--address', 'sales@shop.example', '--json'];
  return posthorn(env, 'mailbox', ...args, ...mailboxArgs);
}

test('a second import of a Maildir adds nothing, and an mbox export imports unchanged into another mailbox', async () => {
  await using db = await testDatabase();
  await newShop(db.database, 'shop', { localPart: 'sales' });
  const root = join(folder, 'Maildir');
  makeMaildir(root);
  const first = await run(db, 'import', root);
  const none = {
    left_out: 0,
    folders_left_out: 0,
    without_keywords: 0,
    folders_with_uids: 0,
    renamed_folders: [],
  };
  assert.deepEqual(JSON.parse(first.stdout), { imported: 6, already_there: 0, ...none }, first.stderr);
  assert.equal(first.code, 0);
  const all: Shown[] = [
    {
      folder: 'INBOX',
      subject: 'one',
      flags: FLAG.seen | FLAG.flagged,
      keywords: ['$Forwarded'],
      seconds: 1_000_000_000,
      octets: 25,
    },
    { folder: 'INBOX', subject: 'two', flags: 0, keywords: [], seconds: 1_100_000_000, octets: 26 },
    {
      folder: 'Sent',
      subject: 'large',
      flags: FLAG.seen,
      keywords: [],
      seconds: 1_200_000_000,
      octets: LARGE.length,
    },
    {
      folder: 'Projekte/Übung',
      subject: 'four',
      flags: FLAG.answered | FLAG.deleted,
      keywords: [],
      seconds: 1_300_000_000,
      octets: 17,
    },
    // A name that is not modified UTF-7 is used as it is.
    { folder: '&bad', subject: 'eight', flags: FLAG.seen, keywords: [], seconds: 1_300_000_001, octets: 18 },
    { folder: '&bad', subject: 'nine', flags: 0, keywords: [], seconds: 1_300_000_002, octets: 17 },
  ];
  assert.deepEqual(await contents(db), all);
  const again = await run(db, 'import', root);
  assert.deepEqual(JSON.parse(again.stdout), { imported: 0, already_there: 6, ...none });
  assert.equal(again.code, 0);

  const files = join(folder, 'files');
  const exported = await run(db, 'export', files, '--format', 'mbox');
  assert.equal((JSON.parse(exported.stdout) as { messages: number }).messages, 6, exported.stderr);
  assert.ok(readdirSync(files).includes('Projekte.&ANw-bung.mbox'));
  assert.match(readFileSync(join(files, 'INBOX.mbox'), 'utf8'), /\n>From me\n[^]*\n>>From me\n/);
  await using other = await testDatabase();
  await newShop(other.database, 'shop', { localPart: 'sales' });
  await run(other, 'import', files);
  assert.deepEqual(await contents(other), all);
});

test('an import renames folders whose names are not valid, and counts messages that lose keywords or are too large', async () => {
  await using db = await testDatabase();
  await newShop(db.database, 'shop', { localPart: 'sales' });
  const files = join(folder, 'partly');
  mkdirSync(files);
  const mail = (subject: string, more = ''): string =>
    `From a Sun Nov 22 19:10:39 2026\n${more}Subject: ${subject}\n\nhi\n\n`;
  const keywords = Array.from({ length: 34 }, (_, at) => `k${at}`).join(' ');
  writeFileSync(join(files, 'Sales%.mbox'), mail('one') + mail('two', `X-Keywords: ${keywords}\n`));
  writeFileSync(join(files, 'Sales_.mbox'), mail('three'));
  writeFileSync(join(files, 'INBOX.mbox'), mail('large', `X-Large: ${'a'.repeat(41 * 1024 * 1024)}\n`));
  const env = { ...environmentOf(db), POSTHORN_DATA: join(folder, 'data') };
  const mailboxArgs = ['--project', 'shop', '--address', 'sales@shop.example'];
  const { code, stdout, stderr } = await posthorn(env, 'mailbox', 'import', files, ...mailboxArgs);
  assert.equal(code, 3);
  assert.equal(
    stdout,
    'imported: 3\nalready_there: 0\nleft_out: 1\nfolders_left_out: 0\nwithout_keywords: 1\nfolders_with_uids: 0\nrenamed_folders: 1\n',
  );
  assert.match(stderr, /^Renamed the folder "Sales%" to "Sales_ \(2\)"\.$/m);
  assert.match(stderr, /without the keywords k32 k33: they are invalid or too many/);
  assert.match(stderr, /^Skipped message 1 of \S+: it is larger than 40 MB \(POSTHORN_MAX_IMPORT_MB\)\.$/m);
  // A name that is given is not changed.
  const shared = await posthorn(env, 'mailbox', 'import', files, ...mailboxArgs, '--folder', 'Shared/a@b');
  assert.equal(shared.code, 3);
  assert.match(
    shared.stderr,
    /^Skipped \S+ with 1 message: its name belongs to a shared mailbox: below Shared\/, use a name without @\.$/m,
  );
  assert.deepEqual(
    (await contents(db)).map((message) => [message.folder, message.subject, message.keywords.length]).sort(),
    [
      ['Sales_ (2)', 'one', 0],
      ['Sales_ (2)', 'two', 32],
      ['Sales_', 'three', 0],
    ],
  );
  await sql`update mailboxes set quota_mb = 100`.execute(db.database);
  const larger = { ...env, POSTHORN_MAX_IMPORT_MB: '42' };
  const again = await posthorn(larger, 'mailbox', 'import', files, ...mailboxArgs);
  assert.equal(again.code, 0, again.stderr);
});

test('an import takes UIDVALIDITY, UIDs and unique-ids for POP3 from dovecot-uidlist, also after an interruption', async () => {
  await using db = await testDatabase();
  await newShop(db.database, 'shop', { localPart: 'sales' });
  const root = join(folder, 'uids');
  for (const path of [root, join(root, '.Sent')])
    for (const part of ['tmp', 'new', 'cur']) mkdirSync(join(path, part), { recursive: true });
  const put = (path: string) => writeFileSync(join(root, path), `Subject: ${path}\r\n\r\n`);
  put('cur/9.a:2,S');
  put('cur/1.a:2,S');
  put('.Sent/cur/2.a:2,S');
  const listed = [
    '3 V1275660208 N25022 G3085f01b7f11094c501100008c4a11c1',
    '7 P0003.old S25 :1.a',
    '12 :9.a',
  ];
  writeFileSync(join(root, 'dovecot-uidlist'), `${listed.join('\n')}\n`);
  writeFileSync(join(root, '.Sent', 'dovecot-uidlist'), '1 1275660209 40\n39 2.a\n');
  const uids = async () => {
    const { rows } = await sql<{ name: string; uid_validity: string; uid: number; uidl: string | null }>`
      select f.name, f.uid_validity, m.uid, m.uidl from messages m join folders f on f.id = m.folder_id
      order by f.name, m.uid`.execute(db.database);
    return rows.map((row) => Object.values(row).join(' '));
  };
  const kept = ['INBOX 1275660208 7 0003.old', 'INBOX 1275660208 12 0000000c4c0907b0'];
  const first = await run(db, 'import', root);
  assert.equal(
    (JSON.parse(first.stdout) as { folders_with_uids: number }).folders_with_uids,
    2,
    first.stderr,
  );
  assert.deepEqual(await uids(), [...kept, 'Sent 1275660209 39 ']);

  // The old server gets one more message, and then mail arrives here.
  put('new/13.a');
  writeFileSync(join(root, 'dovecot-uidlist'), `${[...listed, '25022 :13.a'].join('\n')}\n`);
  await run(db, 'import', root);
  await sql`update folders set uid_next = uid_reserved_below + 1 where name = 'INBOX'`.execute(db.database);
  put('new/14.a');
  put('new/15.a');
  // The last one is that of another message here, if this has none of its own.
  const more = ['25022 :13.a', '25023 :14.a', '25024 P1275660208.13 :15.a'];
  writeFileSync(join(root, 'dovecot-uidlist'), `${[...listed, ...more].join('\n')}\n`);
  await run(db, 'import', root);
  const { rows } = await sql<{ reserved: number }>`
    select uid_reserved_below as reserved from folders where name = 'INBOX'`.execute(db.database);
  const reserved = rows[0]?.reserved ?? 0;
  assert.ok(reserved > 1_025_023);
  assert.deepEqual((await uids()).slice(2, 5), [
    'INBOX 1275660208 25022 000061be4c0907b0',
    `INBOX 1275660208 ${reserved + 1} 000061bf4c0907b0`,
    `INBOX 1275660208 ${reserved + 2} `,
  ]);
});

test('messages that a running server renames during an import are found, and missing files are counted', async () => {
  await using db = await testDatabase();
  await newShop(db.database, 'shop', { localPart: 'sales' });
  const root = join(folder, 'running');
  for (const part of ['tmp', 'new', 'cur']) mkdirSync(join(root, part), { recursive: true });
  const put = (path: string) => writeFileSync(join(root, path), `Subject: ${path}\r\n\r\n`);
  for (const path of ['cur/1.a:2,', 'cur/2.a:2,', 'cur/3.a:2,', 'cur/4.a:2,', 'new/5.a', 'new/6.a'])
    put(path);
  const read: string[] = [];
  for await (const { messages } of readFolders(root, 1_000))
    for await (const { where, letters, raw, isMissing } of messages()) {
      if (read.length === 0) {
        renameSync(join(root, 'cur/2.a:2,'), join(root, 'cur/2.a:2,S'));
        rmSync(join(root, 'cur/3.a:2,'));
        renameSync(join(root, 'new/5.a'), join(root, 'cur/5.a:2,'));
      } else if (read.length === 3) renameSync(join(root, 'cur/5.a:2,'), join(root, 'cur/5.a:2,F'));
      assert.equal(raw === null, isMissing === true);
      read.push(`${where.slice(root.length + 1)} ${letters}${isMissing === true ? '-' : ''}`);
    }
  assert.deepEqual(read, [
    'cur/1.a:2, ',
    'cur/2.a:2,S S',
    'cur/3.a:2, -',
    'cur/4.a:2, ',
    'cur/5.a:2,F F',
    'new/6.a ',
  ]);
  // No file with this name can be found, because the name is not UTF-8.
  writeFileSync(Buffer.from(`${root}/new/7.\xff`, 'latin1'), 'Subject: seven\r\n\r\n');
  const { code, stdout, stderr } = await run(db, 'import', root);
  const { imported, left_out } = JSON.parse(stdout) as Record<string, number>;
  assert.deepEqual([code, imported, left_out], [3, 5, 1], stderr);
  assert.match(stderr, /^Skipped \S+: its file is gone\. It was deleted or renamed/m);
});

test('an import of several folders into one has no unique-ids for POP3', async () => {
  await using db = await testDatabase();
  await newShop(db.database, 'shop', { localPart: 'sales' });
  const root = join(folder, 'together');
  for (const path of [root, join(root, '.Sent')]) {
    for (const part of ['tmp', 'new', 'cur']) mkdirSync(join(path, part), { recursive: true });
    writeFileSync(join(path, 'cur', '1.a:2,S'), `Subject: ${path}\r\n\r\n`);
    writeFileSync(join(path, 'dovecot-uidlist'), '1 1275660208 40\n39 1.a\n');
  }
  const { stdout, stderr } = await run(db, 'import', root, '--folder', 'INBOX');
  assert.equal((JSON.parse(stdout) as { imported: number }).imported, 2, stderr);
  const { rows } = await sql`select from messages where uidl is not null`.execute(db.database);
  assert.equal(rows.length, 0);
});

test('an exported Maildir imports unchanged, and an export into a folder that is not empty is rejected', async () => {
  await using db = await testDatabase();
  await newShop(db.database, 'shop', { localPart: 'sales' });
  const file = join(folder, 'one.mbox');
  writeFileSync(
    file,
    'From a Sun Nov 22 19:10:39 2026\nSubject: a\nStatus: RO\n\nhi\n\nFrom a Sun Nov 22 19:10:40 2026\nSubject: b\n\nho\n',
  );
  await run(db, 'import', file, '--folder', '../v1.2');
  const before = await contents(db);
  assert.deepEqual(
    before.map((message) => [message.folder, message.subject, message.flags]),
    [
      ['../v1.2', 'a', FLAG.seen],
      ['../v1.2', 'b', 0],
    ],
  );
  const maildir = join(folder, 'out', 'Maildir');
  const { code, stderr } = await run(db, 'export', maildir);
  assert.equal(code, 0, stderr);
  assert.deepEqual(readdirSync(join(folder, 'out')), ['Maildir']);
  assert.ok((await run(db, 'export', maildir)).stderr.includes('is not empty'));
  await using other = await testDatabase();
  await newShop(other.database, 'shop', { localPart: 'sales' });
  await run(other, 'import', maildir);
  assert.deepEqual(await contents(other), before);
});

test('an export lists the messages whose content is missing, writes the other messages, and exits with 1', async () => {
  await using db = await testDatabase();
  await newShop(db.database, 'shop', { localPart: 'sales' });
  const file = join(folder, 'lost.mbox');
  writeFileSync(
    file,
    `From a Sun Nov 22 19:10:39 2026\nSubject: small\n\nhi\n\nFrom a Sun Nov 22 19:10:40 2026\n${LARGE.replaceAll('\r', '')}\n`,
  );
  await run(db, 'import', file);
  const whole = await run(db, 'export', join(folder, 'whole'));
  assert.deepEqual([whole.code, (JSON.parse(whole.stdout) as { missing: unknown }).missing], [0, []]);
  rmSync(join(folder, 'data', 'blobs'), { recursive: true });
  const { code, stdout, stderr } = await run(db, 'export', join(folder, 'lost'));
  assert.equal(code, 1);
  const { messages, missing } = JSON.parse(stdout) as { messages: number; missing: unknown };
  assert.equal(messages, 1);
  assert.deepEqual(missing, [{ folder: 'INBOX', uid: 2, subject: 'large' }]);
  assert.match(stderr, /^Skipped message 2 of INBOX: its content is missing\. Subject: large$/m);
});
