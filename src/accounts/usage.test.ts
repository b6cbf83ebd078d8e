import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { newProject } from '../../test/support/projects.ts';
import { firstUuidAt, newUuid } from '../model/ids.ts';
import { monthOf } from '../model/month.ts';
import { foldStorage, readUsage, recordingStorage } from './usage.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

async function meter(bytes: Record<string, number>): Promise<void> {
  await sql`with ${recordingStorage(new Map(Object.entries(bytes)))} select`.execute(db.database);
}

async function folded(projectId: string): Promise<number> {
  const row = await db.database
    .selectFrom('projects')
    .select('storageBytes')
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
  return Number(row.storageBytes);
}

async function unfolded(): Promise<number> {
  const { count } = await db.database
    .selectFrom('storageChanges')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

const used = async (projectId: string) =>
  (await readUsage(db.database, projectId, monthOf(new Date()))).storageBytes;

test('folding moves metered bytes into the projects and does not change the total storage', async () => {
  const [one, two] = [await newProject(db.database), await newProject(db.database)];
  await meter({ [one]: 100, [two]: 7 });
  await meter({ [one]: -40 });
  assert.deepEqual([await folded(one), await used(one), await used(two)], [0, 60, 7]);
  await foldStorage(db.database);
  assert.deepEqual([await folded(one), await folded(two), await used(one), await used(two)], [60, 7, 60, 7]);
  assert.equal(await unfolded(), 0);
});

test('concurrent folds and metering lose no bytes and count no bytes twice', async () => {
  const ids = [await newProject(db.database), await newProject(db.database), await newProject(db.database)];
  const work = Array.from({ length: 60 }, (_, at) => async () => {
    if (at % 3 === 0) await foldStorage(db.database);
    await meter(Object.fromEntries(ids.map((id, n) => [id, at + n])));
  });
  await Promise.all(work.map((one) => one()));
  const expected = ids.map((_, n) => work.reduce((sum, __, at) => sum + at + n, 0));
  assert.deepEqual(await Promise.all(ids.map(used)), expected);
  await Promise.all(Array.from({ length: 8 }, () => foldStorage(db.database)));
  await foldStorage(db.database);
  assert.deepEqual(await Promise.all(ids.map(folded)), expected);
  assert.equal(await unfolded(), 0);
});

test('a fold includes all metered rows, even more than fit into one statement', async () => {
  const projectId = await newProject(db.database);
  await sql`
    insert into storage_changes (project_id, id, bytes)
    select ${projectId}, gen_random_uuid(), 2 from generate_series(1, 20001)`.execute(db.database);
  await foldStorage(db.database);
  assert.deepEqual([await folded(projectId), await unfolded()], [40_002, 0]);
});

test("usage counts the month's emails of the project", async () => {
  const projectId = await newProject(db.database);
  const { start, end } = monthOf(new Date());
  const times = [start.getTime() - 1, start.getTime(), end.getTime() - 1, end.getTime()];
  const emails = times.map((time) => ({
    projectId,
    id: firstUuidAt(new Date(time)).slice(0, 19) + newUuid().slice(19),
    createdAt: new Date(time),
    sender: 'a@b.test',
    senderAddress: 'a@b.test',
    toList: ['c@d.test'],
    subject: '',
    tags: [],
    stages: [0],
  }));
  await db.database.insertInto('emails').values(emails).execute();
  const { apiEmails, mailboxes, ownDomains } = await readUsage(db.database, projectId, { start, end });
  assert.deepEqual({ apiEmails, mailboxes, ownDomains }, { apiEmails: 2, mailboxes: 0, ownDomains: 0 });
});
