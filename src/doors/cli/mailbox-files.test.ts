import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
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
import { environmentOf, posthorn } from '../../../test/support/cli.ts';
import { testDatabase, type TestDatabase } from '../../../test/support/postgres.ts';
import { newShop } from '../../../test/support/projects.ts';
import { FLAG } from '../../store/flags.ts';
import { Store } from '../../store/store.ts';

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
  put('.&bad/cur/8.a:2,S', 'Subject: eight\r\n\r\n', 1_300_000_000);
  put('.&bad/new/9.a', 'Subject: nine\r\n\r\n', 1_300_000_000);
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
  const left = { left_out: 2, folders_left_out: 1 };
  assert.deepEqual(JSON.parse(first.stdout), { imported: 4, already_there: 0, ...left }, first.stderr);
  assert.match(first.stderr, /^Skipped \S+\.&bad with 2 messages/m);
  assert.equal(first.code, 3);
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
  ];
  assert.deepEqual(await contents(db), all);
  const again = await run(db, 'import', root);
  assert.deepEqual(JSON.parse(again.stdout), { imported: 0, already_there: 4, ...left });
  assert.equal(again.code, 3);

  const files = join(folder, 'files');
  const exported = await run(db, 'export', files, '--format', 'mbox');
  assert.equal((JSON.parse(exported.stdout) as { messages: number }).messages, 4, exported.stderr);
  assert.ok(readdirSync(files).includes('Projekte.&ANw-bung.mbox'));
  assert.match(readFileSync(join(files, 'INBOX.mbox'), 'utf8'), /\n>From me\n[^]*\n>>From me\n/);
  await using other = await testDatabase();
  await newShop(other.database, 'shop', { localPart: 'sales' });
  await run(other, 'import', files);
  assert.deepEqual(await contents(other), all);
});

test('an import reports how many messages it skipped, and exits with 3', async () => {
  await using db = await testDatabase();
  await newShop(db.database, 'shop', { localPart: 'sales' });
  const files = join(folder, 'partly');
  mkdirSync(files);
  const mail = (subject: string): string => `From a Sun Nov 22 19:10:39 2026\nSubject: ${subject}\n\nhi\n\n`;
  writeFileSync(join(files, 'INBOX.mbox'), mail('one'));
  assert.equal((await run(db, 'import', files)).code, 0);
  const bad = join(files, 'Sales%.mbox');
  writeFileSync(bad, mail('two') + mail('three') + mail('four'));
  const env = { ...environmentOf(db), POSTHORN_DATA: join(folder, 'data') };
  const mailboxArgs = ['--project', 'shop', '--address', 'sales@shop.example'];
  const { code, stdout, stderr } = await posthorn(env, 'mailbox', 'import', files, ...mailboxArgs);
  assert.equal(code, 3);
  assert.equal(stdout, 'imported: 0\nalready_there: 1\nleft_out: 3\nfolders_left_out: 1\n');
  assert.match(stderr, /Sales%\.mbox with 3 messages: its name is not a valid folder name/);
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
