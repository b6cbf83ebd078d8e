/** The API log is deleted, erased and exported like other data of a project. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import { sql } from 'kysely';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { newProject } from '../../test/support/projects.ts';
import { eraseFromApiLog } from '../accounts/api-log/erase-rejected.ts';
import { RejectedRequests } from '../accounts/api-log/rejected-requests.ts';
import { deletingExpiredAccountRows } from '../accounts/background-jobs.ts';
import { createApiKey } from '../accounts/keys/api-keys.ts';
import { SendEmail } from '../contract/emails.ts';
import { DAY_MS } from '../model/day.ts';
import { decodeId, firstUuidAt, newUuid } from '../model/ids.ts';
import { deleteProject } from './delete-project.ts';
import { eraseAddress } from './erase.ts';
import { RECORDS, recordsOf } from './export-records.ts';
import { findRemovals, removing } from './removals.ts';
import { deletingExpiredOf, findRetainingProjects } from './retention-of-projects.ts';

let db: TestDatabase;
let log: RejectedRequests;
before(async () => {
  db = await testDatabase();
  log = new RejectedRequests({ database: db.database, logger: console });
});
beforeEach(() => db.database.deleteFrom('rejectedRequests').execute());
after(() => db[Symbol.asyncDispose]());

async function newKey(name = newUuid()) {
  const projectId = await newProject(db.database, name);
  const { id } = await createApiKey(db.database, projectId, 'shop', null);
  return { projectId, keyId: decodeId('key', id) ?? '' };
}

type Key = Awaited<ReturnType<typeof newKey>>;

/** Stores a request that was rejected some days ago. @param what its request id */
async function reject(key: Key, what: string, daysAgo: number, fields: object = {}): Promise<void> {
  await log.note({
    ...key,
    method: 'POST',
    route: '/v1/emails',
    parameters: {},
    status: 422,
    problem: 'validation-failed',
    detail: 'The request has invalid fields.',
    errors: null,
    body: { from: 'a@acme.example' },
    schema: SendEmail,
    address: null,
    userAgent: null,
    requestId: what,
    ...fields,
  });
  const id = firstUuidAt(new Date(Date.now() - daysAgo * DAY_MS)).slice(0, 19) + newUuid().slice(19);
  await db.database.updateTable('rejectedRequests').set({ id }).where('requestId', '=', what).execute();
}

async function left(): Promise<string[]> {
  const rows = await db.database.selectFrom('rejectedRequests').select('requestId').execute();
  return rows.map(({ requestId }) => requestId).sort();
}

suite('rejected requests', () => {
  test('are deleted after seven days, or with the emails of the installation', async () => {
    const key = await newKey();
    for (const days of [1, 3, 6, 8]) await reject(key, `${days} days old`, days);
    for await (const _ of deletingExpiredAccountRows(db.database, null));
    assert.deepEqual(await left(), ['1 days old', '3 days old', '6 days old']);
    for await (const _ of deletingExpiredAccountRows(db.database, 30));
    assert.equal((await left()).length, 3);
    for await (const _ of deletingExpiredAccountRows(db.database, 5));
    assert.deepEqual(await left(), ['1 days old', '3 days old']);
  });

  test('are deleted as early as the emails of their project, and those with content as early as the bodies', async () => {
    const [key, other] = [await newKey(), await newKey()];
    const content = { body: { text: 'Hello' } };
    await reject(key, 'old', 6);
    await reject(key, 'younger', 4);
    await reject(key, 'with content, old', 3, content);
    await reject(key, 'with content, young', 1, content);
    await reject(other, 'of another project', 6, content);
    await db.database
      .updateTable('projects')
      .set({ keepDays: 5, keepBodiesDays: 2 })
      .where('id', '=', key.projectId)
      .execute();
    await sql`
      insert into rejected_requests (project_id, id, created_at, key_id, method, route, path, status, problem, detail, has_content, request_id)
      select ${key.projectId}, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, now(), ${key.keyId},
        'GET', '', '', 404, 'not-found', '', false, 'very old'
      from generate_series(1, 450) n`.execute(db.database);
    const deleted: number[] = [];
    for (const project of await findRetainingProjects(db.database))
      for await (const count of deletingExpiredOf(db.database, project, { commitMs: 0 })) deleted.push(count);
    assert.deepEqual(deleted, [200, 200, 52]);
    assert.deepEqual(await left(), ['of another project', 'with content, young', 'younger']);
  });

  test('that mention an erased person are deleted, wherever the address is', async () => {
    const [key, other] = [await newKey(), await newKey()];
    await reject(key, 'body', 0, { body: { to: ['Ada <ADA@bücher.example>'] } });
    await reject(key, 'text', 0, { body: { text: 'Dear ada@xn--bcher-kva.example,' } });
    await reject(key, 'error', 0, { errors: { to: 'ada@bücher.example cannot receive mail of this key' } });
    await reject(key, 'path', 0, {
      route: '/v1/suppressions/{address}',
      parameters: { address: 'Ada@xn--bcher-kva.example' },
    });
    await reject(key, 'user agent', 0, { userAgent: 'Sync for ada@bücher.example' });
    await reject(key, 'of another person', 0, { body: { to: ['bob@bücher.example'] } });
    await reject(other, 'of another project', 0, { body: { to: ['ada@bücher.example'] } });
    await eraseAddress(db.database, key.projectId, 'ada@bücher.example', false);
    assert.deepEqual(await left(), ['of another person', 'of another project']);
    await eraseAddress(db.database, null, 'ada@bücher.example', false);
    assert.deepEqual(await left(), ['of another person']);
  });

  test('that mention an erased person in upper case are deleted, also with letters outside of ASCII', async () => {
    const key = await newKey();
    const inPath = (text: string) => ({
      route: '/v1/suppressions/{address}',
      parameters: { address: text },
    });
    await reject(key, 'path', 0, inPath('Ä(D).A@BÜCHER.example'));
    await reject(key, 'ASCII path', 0, inPath('Ä(D).A@xn--BCHER-kva.example'));
    await reject(key, 'body', 0, { body: { to: ['Ä(D).A@BÜCHER.example'] } });
    await reject(key, 'of another person', 0, inPath('Ä(D)xA@bücher.example'));
    await eraseFromApiLog(db.database, key.projectId, 'ä(d).a@xn--bcher-kva.example');
    assert.deepEqual(await left(), ['of another person']);
  });

  test('that mention an erased person are found in encoded paths, and in a long log', async () => {
    const key = await newKey();
    await reject(key, 'path', 0, {
      route: '/v1/suppressions/{address}',
      parameters: { address: 'a/d+a@bücher.example' },
    });
    await reject(key, 'of another person', 0);
    await sql`
      insert into rejected_requests (project_id, id, created_at, key_id, method, route, path, status, problem, detail, has_content, request_id)
      select ${key.projectId}, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, now(), ${key.keyId},
        'GET', '', case when n % 2 = 0 then 'a/d+a@xn--bcher-kva.example' else '' end, 404, 'not-found', '', false, 'old'
      from generate_series(1, 1_001) n`.execute(db.database);
    await eraseAddress(db.database, key.projectId, 'a/d+a@bücher.example', false);
    assert.deepEqual(await left(), ['of another person', ...Array<string>(501).fill('old')]);
  });

  test('are deleted with their project, also those that are stored a moment later', async () => {
    const [key, other] = [await newKey('shop'), await newKey()];
    await reject(key, 'early', 0);
    await reject(other, 'of another project', 0);
    const [row] = await db.database
      .selectFrom('rejectedRequests')
      .selectAll()
      .where('projectId', '=', key.projectId)
      .execute();
    await deleteProject(db.database, key.projectId, 'shop');
    assert.ok(row !== undefined);
    await db.database
      .insertInto('rejectedRequests')
      .values({ ...row, id: newUuid(), errors: null, body: null })
      .execute();
    for (const removal of await findRemovals(db.database))
      for await (const _ of removing(db.database, removal));
    assert.deepEqual(await left(), ['of another project']);
  });

  test('are exported with their project', async () => {
    const key = await newKey();
    await reject(key, 'mine', 0);
    const kind = RECORDS.find(({ table }) => table === 'rejected_requests') ?? assert.fail();
    const records: object[] = [];
    for await (const record of recordsOf(db.database, key.projectId, kind)) records.push(record);
    assert.equal(records.length, 1);
    const { request_id, body } = records[0] as { request_id: string; body: object };
    assert.deepEqual([request_id, body], ['mine', { from: 'a@acme.example' }]);
  });
});
