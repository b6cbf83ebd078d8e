import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { newMailbox } from '../../../test/support/mail.ts';
import { testDatabase, type TestDatabase } from '../../../test/support/postgres.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { newUuid } from '../../model/ids.ts';
import type { ClamdAddress } from './clamd.ts';
import { startFakeClamd, VIRUS } from './clamd.fixture.ts';
import { LinkScanner } from './link-scanner.ts';

let db: TestDatabase;
let mailbox: MailboxKey;
before(async () => {
  db = await testDatabase();
  mailbox = await newMailbox(db.database);
});
after(() => db[Symbol.asyncDispose]());

const contents = new Map<string, Buffer>();

async function newFile(content: string, { isWhole = true } = {}): Promise<string> {
  const id = newUuid();
  contents.set(id, Buffer.from(content));
  await sql`insert into link_files (project_id, mailbox_id, id, name, type, octets, received, whole_at, created_at, touched_at)
    values (${mailbox.projectId}, ${mailbox.mailboxId}, ${id}, 'a', '', ${content.length}, 0, ${isWhole ? new Date() : null}, now(), now())`.execute(
    db.database,
  );
  return id;
}

async function scanOf(id: string): Promise<{ scan: string | null; found: string | null; isDue: boolean }> {
  const { rows } = await sql<{ scan: string | null; found: string | null; isDue: boolean }>`
    select scan, scan_found as found, scan_due_at <= now() as is_due from link_files where id = ${id}`.execute(
    db.database,
  );
  return rows[0] ?? assert.fail();
}

async function scanDue(clamd: ClamdAddress): Promise<void> {
  const logger = pino({ level: 'silent' });
  await using scanner = new LinkScanner({
    database: db.database,
    clamd,
    logger,
    async *read({ id }, { start, end }) {
      yield (contents.get(id) ?? assert.fail()).subarray(start, end);
    },
  });
  await scanner.scan();
}

test('a complete file is scanned only once, and the result is stored', async () => {
  await using clamd = await startFakeClamd({ maxBytes: 1_000 });
  const [clean, bad, large, coming] = [
    await newFile('nothing'),
    await newFile(`x${VIRUS}`),
    await newFile('x'.repeat(2_000)),
    await newFile('', { isWhole: false }),
  ];
  await scanDue(clamd.address);
  assert.equal((await scanOf(clean)).scan, 'clean');
  assert.deepEqual(await scanOf(bad), { scan: 'infected', found: 'Test.Virus-1', isDue: true });
  assert.equal((await scanOf(large)).scan, 'unscanned');
  assert.equal((await scanOf(coming)).scan, null);
  await scanDue(clamd.address);
  assert.equal(clamd.scanned.length, 2);
});

test('a file that cannot be scanned while ClamAV is unavailable is scanned later', async () => {
  const id = await newFile('nothing');
  await scanDue({ path: '/nowhere/clamd.ctl' });
  assert.deepEqual(await scanOf(id), { scan: null, found: null, isDue: false });
  await using clamd = await startFakeClamd();
  await scanDue(clamd.address);
  assert.equal((await scanOf(id)).scan, null);
  await sql`update link_files set scan_due_at = now()`.execute(db.database);
  await scanDue(clamd.address);
  assert.equal((await scanOf(id)).scan, 'clean');
});
