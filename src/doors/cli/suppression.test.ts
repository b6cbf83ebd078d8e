import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { ensureOrganization } from '../../accounts/organizations/organizations.ts';
import { createProject } from '../../accounts/projects/projects.ts';

const PROGRAM = fileURLToPath(new URL('main.ts', import.meta.url));

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
  await db.database.transaction().execute(async (tx) => {
    const organizationId = await ensureOrganization(tx);
    for (const name of ['shop', 'news']) await createProject(tx, organizationId, name, 'paid');
  });
});
after(() => db[Symbol.asyncDispose]());

function suppression(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, POSTHORN_DATABASE_URL: db.url, POSTHORN_SECRET: 'secret of the tests' };
    execFile(process.execPath, [PROGRAM, 'suppression', ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

test('suppression commands add an address to the list of one project, show it, and remove it', async () => {
  const which = ['--project', 'shop', '--address', 'Ann@dst.test'];
  const added = await suppression('add', ...which, '--expires', '2999-01-31', '--json');
  assert.equal(added.code, 0, added.stderr);
  const entry = JSON.parse(added.stdout) as { created_at: string };
  assert.deepEqual(entry, {
    address: 'Ann@dst.test',
    reason: 'manual',
    email_id: null,
    detail: null,
    created_at: entry.created_at,
    expires_at: '2999-01-31T00:00:00.000Z',
  });
  assert.deepEqual(JSON.parse((await suppression('list', '--project', 'shop', '--json')).stdout), entry);
  assert.equal((await suppression('list', '--project', 'news')).stdout, '');
  assert.match((await suppression('list', '--project', 'shop')).stdout, /^Ann@dst\.test\tmanual\t\S+\t2999/);

  assert.equal((await suppression('remove', ...which)).stdout, 'removed Ann@dst.test\n');
  const gone = await suppression('remove', ...which);
  assert.deepEqual([gone.code, gone.stdout], [1, '']);
  assert.match(gone.stderr, /not on the suppression list of the project shop/);
});

test('suppression add names the invalid field', async () => {
  const which = ['add', '--project', 'shop', '--address'];
  assert.match((await suppression(...which, 'ghost')).stderr, /^ {2}addresses: /m);
  assert.match(
    (await suppression(...which, 'a@dst.test', '--expires', 'soon')).stderr,
    /^ {2}expires: must be a date/m,
  );
  assert.match(
    (await suppression(...which, 'a@dst.test', '--expires', '2001-01-01')).stderr,
    /^ {2}expires_at: .*future/m,
  );
  assert.match(
    (await suppression(...which, 'a@dst.test', '--reason', 'mood')).stderr,
    /Allowed choices are manual/,
  );
});

test('suppression import reads the list of another service and reports lines without an address, and export writes the list', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-suppressions-'));
  after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'list.csv');
  const rows = Array.from({ length: 3_000 }, (_, at) => `a${at}@dst.test,HardBounce`);
  await writeFile(file, ['email,reason', ...rows, 'ghost,HardBounce', 'A7@dst.test,'].join('\r\n'));
  const imported = await suppression('import', file, '--project', 'news', '--json');
  assert.deepEqual(JSON.parse(imported.stdout), { added: 3_000, known: 1, refused: 1 });
  assert.match(imported.stderr, /^line 3002: ghost,HardBounce: not an address/m);
  const csv = (await suppression('export', '--project', 'news')).stdout;
  assert.equal(csv.match(/^"a\d+@dst\.test","bounce",/gm)?.length, 3_000);
  await writeFile(file, csv);
  const again = await suppression('import', file, '--project', 'news');
  assert.equal(again.stdout, '0 added, 3000 already listed, 0 lines rejected\n');
  await writeFile(file, Buffer.from('ann@dst.test', 'utf16le'));
  assert.match((await suppression('import', file, '--project', 'news')).stderr, /is not a text file/);
});
