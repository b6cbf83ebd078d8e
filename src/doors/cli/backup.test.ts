// Runs in its own process: commands read its environment and write to its output.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { environmentOf, posthorn } from '../../../test/support/cli.ts';
import { sealedDatabase, type TestDatabase } from '../../../test/support/postgres.ts';
import { LAST_BACKUP } from '../../installation/backup/record-backup.ts';

const folder = mkdtempSync(join(tmpdir(), 'posthorn-backup-command-'));
let db: TestDatabase;
before(async () => {
  db = await sealedDatabase();
});
after(async () => {
  await db[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const backUp = (file: string) =>
  posthorn({ ...environmentOf(db), POSTHORN_DATA: folder }, 'backup', join(folder, file), '--json');

async function recorded(): Promise<string | undefined> {
  const row = await db.database
    .selectFrom('settings')
    .select('value')
    .where('name', '=', LAST_BACKUP)
    .executeTakeFirst();
  return row?.value;
}

test('a backup that could not be written is not recorded', async () => {
  assert.notEqual((await backUp('missing/all.tar.zst')).code, 0);
  assert.equal(await recorded(), undefined);
});

test('the recorded backup time is the time of the data in the backup', async () => {
  const { code, stdout, stderr } = await backUp('all.tar.zst');
  assert.equal(code, 0, stderr);
  assert.equal(await recorded(), (JSON.parse(stdout) as { made_at: string }).made_at);
});

test('a read-only database is backed up, and the command reports that the backup time is not recorded', async () => {
  const before = await recorded();
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db.database);
  const name = sql.id(rows[0]?.name ?? '');
  await sql`alter database ${name} set default_transaction_read_only = on`.execute(db.database);
  const { code, stderr } = await backUp('standby.tar.zst');
  await sql`alter database ${name} reset default_transaction_read_only`.execute(db.database);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^The backup is complete, but its time could not be recorded: .*read-only/);
  assert.equal(await recorded(), before);
});
