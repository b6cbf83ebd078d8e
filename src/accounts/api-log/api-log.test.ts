import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { testDatabase, type TestDatabase } from '../../../test/support/postgres.ts';
import { newProject } from '../../../test/support/projects.ts';
import { SendEmail } from '../../contract/emails.ts';
import { CreateMailbox } from '../../contract/mailboxes.ts';
import { CreateWebhook } from '../../contract/webhooks.ts';
import { decodeId } from '../../model/ids.ts';
import { createApiKey } from '../keys/api-keys.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { MAX_PER_KEY, MAX_PER_PROJECT } from './limits.ts';
import { listRejected, readRejected } from './read-rejected.ts';
import { type RejectedRequest, RejectedRequests } from './rejected-requests.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

const warnings: unknown[] = [];
const logger = { warn: (...line: unknown[]) => void warnings.push(line) };

async function newKey(projectId?: string) {
  const project = projectId ?? (await newProject(db.database));
  const { id } = await createApiKey(db.database, project, 'shop', null);
  return { projectId: project, keyId: decodeId('key', id) ?? '' };
}

const REJECTED = {
  method: 'POST',
  route: '/v1/emails',
  parameters: {},
  status: 422,
  problem: 'validation-failed',
  detail: 'The request has invalid fields. See errors.',
  errors: { to: 'must be an array' },
  body: { to: 'ada@example.com', subject: 'Hello Ada' },
  schema: SendEmail,
  address: '192.0.2.7',
  userAgent: 'curl/8',
  requestId: 'req_1',
};

/** Stores requests, one after another. @returns their stored forms, newest first */
async function stored(requests: readonly RejectedRequest[]) {
  const log = new RejectedRequests({ database: db.database, logger });
  for (const request of requests) await log.note(request);
  const projectId = requests[0]?.projectId ?? '';
  const { data } = await listRejected(db.database, projectId, { limit: 100 });
  return Promise.all(
    data.map(async ({ id }) => readRejected(db.database, projectId, decodeId('rej', id) ?? '', true)),
  );
}

suite('a rejected request', () => {
  test('is stored with its key, its errors and its body', async () => {
    const key = await newKey();
    const [request] = await stored([{ ...REJECTED, ...key }]);
    const { id: _id, created_at, key: shownKey, body, ...fields } = request ?? assert.fail();
    assert.ok(Date.now() - Date.parse(created_at) < 60_000);
    assert.equal(shownKey.name, 'shop');
    assert.deepEqual(JSON.parse(body ?? ''), REJECTED.body);
    assert.deepEqual(fields, {
      method: 'POST',
      route: '/v1/emails',
      path: '/v1/emails',
      status: 422,
      problem: 'validation-failed',
      detail: REJECTED.detail,
      invalid_fields: ['to'],
      omitted_before: 0,
      errors: REJECTED.errors,
      hides_body: false,
      address: '192.0.2.7',
      user_agent: 'curl/8',
      request_id: 'req_1',
    });
  });

  for (const [parameter, segment] of [
    ['ada@example.com', 'ada@example.com'],
    ['../../domains?a=b#c', '..%2F..%2Fdomains%3Fa%3Db%23c'],
    ['50%\0\n', '50%25%00%0A'],
    ['\ud800', '%EF%BF%BD'],
  ] as const)
    test(`has the parameter ${JSON.stringify(parameter)} as one segment of its path`, async () => {
      const route = { route: '/v1/suppressions/{address}', parameters: { address: parameter } };
      const [request] = await stored([{ ...REJECTED, ...(await newKey()), ...route, body: undefined }]);
      assert.equal(request?.path, `/v1/suppressions/${segment}`);
      assert.equal(request?.body, null);
    });

  for (const [what, fields] of [
    ['the body', { body: { password: 'hunter2hunter2' }, errors: null }],
    ['an object that was sent as JSON in a text', { body: '{"password": "hunter2hunter2"}', errors: null }],
    [
      'the URL of a webhook',
      { body: { url: 'https://ada:hunter2hunter2@hook.acme.example' }, schema: CreateWebhook, errors: null },
    ],
    ['a field that the schema does not have', { body: { pasword: 'hunter2hunter2' }, errors: null }],
    [
      "Node's message about text that is not JSON",
      {
        problem: 'malformed-json',
        body: undefined,
        errors: null,
        detail: `The body is not JSON: ${messageOf('{"password": hunter2hunter2, "x": "hunter2hunter2"}')}`,
      },
    ],
    [
      "Node's message about a quotation mark",
      { problem: 'malformed-json', detail: `The body is not JSON: ${messageOf('{"hunter2hunter2"}"')}` },
    ],
  ] as const)
    test(`is stored without a secret in ${what}`, async () => {
      const [request] = await stored([
        { ...REJECTED, schema: CreateMailbox, ...(await newKey()), ...fields },
      ]);
      assert.ok(request !== undefined);
      assert.ok(!JSON.stringify(request).includes('hunter2'), JSON.stringify(request));
    });

  test('is stored without content if the project stores no bodies, but with the other fields', async () => {
    const key = await newKey();
    await db.database
      .updateTable('projects')
      .set({ keepBodiesDays: 0 })
      .where('id', '=', key.projectId)
      .execute();
    const [request] = await stored([
      { ...REJECTED, ...key, errors: { to: 'must be an array', headers: 'headers["X-Ada"]: omit it' } },
    ]);
    assert.deepEqual(JSON.parse(request?.body ?? ''), { to: 'ada@example.com', subject: '<content>' });
    assert.deepEqual(request?.errors, { to: 'must be an array', headers: 'headers["<content>"]: omit it' });
  });

  test('of any content takes little time and memory', async () => {
    // Replacing these texts one after another in what earlier replacements made would grow without end.
    const parts = ['requ', '<con', 'tent', 'ent>', 'con', 'invalid', 'inva', '["', '"]', 'headers["', '\\'];
    const headers = Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [parts[at % 11] + `${at}`, parts[at % 11]]),
    );
    const body = { headers, variables: { parts: Array.from({ length: 100 }, () => [...parts]) } };
    const [request] = await stored([
      { ...REJECTED, ...(await newKey()), body, errors: { headers: 'headers["requ"]: is invalid content' } },
    ]);
    assert.equal(request?.detail, REJECTED.detail);
    assert.deepEqual(request?.errors, { headers: 'headers["requ"]: is invalid content' });
  });

  test('is stored with bounded errors', async () => {
    const errors = Object.fromEntries(
      Array.from({ length: 500 }, (_, at) => [`${at}`, 'word '.repeat(1_000)]),
    );
    const [request] = await stored([{ ...REJECTED, ...(await newKey()), errors }]);
    assert.ok(JSON.stringify(request?.errors).length < 10_000);
  });

  test('of a project that was deleted a moment ago is not stored', async () => {
    const key = await newKey();
    await db.database.deleteFrom('apiKeys').where('projectId', '=', key.projectId).execute();
    await db.database.deleteFrom('projects').where('id', '=', key.projectId).execute();
    await new RejectedRequests({ database: db.database, logger }).note({ ...REJECTED, ...key });
    assert.deepEqual(await rowsOf(key.keyId), []);
  });
});

function messageOf(text: string): string {
  try {
    JSON.parse(text);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('it is JSON');
}

function rowsOf(keyId: string) {
  return db.database
    .selectFrom('rejectedRequests')
    .select(['id', 'omitted'])
    .where('keyId', '=', keyId)
    .execute();
}

suite('of the rejected requests of a key', () => {
  test('only the last 1,000 are stored, and those of other keys stay', async () => {
    const { projectId, keyId } = await newKey();
    const other = await newKey(projectId);
    let nowMs = 0;
    // The clock runs fast, so that the rate of the requests does not matter.
    const log = new RejectedRequests({ database: db.database, logger, nowMs: () => (nowMs += 1_000) });
    await log.note({ ...REJECTED, ...other });
    for (let at = 0; at < 6; at++)
      await Promise.all(Array.from({ length: 200 }, () => log.note({ ...REJECTED, projectId, keyId })));
    assert.equal((await rowsOf(keyId)).length, MAX_PER_KEY);
    assert.equal((await rowsOf(other.keyId)).length, 1);
  });

  test('a flood is stored in part, and the next stored request says how many are missing', async () => {
    const key = await newKey();
    let nowMs = 0;
    const log = new RejectedRequests({ database: db.database, logger, nowMs: () => nowMs });
    await Promise.all(Array.from({ length: 10_000 }, () => log.note({ ...REJECTED, ...key })));
    assert.equal((await rowsOf(key.keyId)).length, 200);
    nowMs += 1_000;
    await log.note({ ...REJECTED, ...key });
    assert.deepEqual(
      (await rowsOf(key.keyId)).map(({ omitted }) => omitted).filter((omitted) => omitted > 0),
      [9_800],
    );
  });

  test('those that cannot be written are counted and logged, and nothing fails', async () => {
    const key = await newKey();
    const log = new RejectedRequests({ database: db.database, logger });
    const rename = (from: string, to: string) =>
      sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(db.database);
    await rename('rejected_requests', 'away');
    for (let at = 0; at < 2; at++) await log.note({ ...REJECTED, ...key });
    await rename('away', 'rejected_requests');
    // One line is enough, because a client can repeat the request at full speed.
    assert.deepEqual(
      warnings.map((line) => (line as string[])[1]),
      [LOG_MESSAGES.rejectedNotStored],
    );
    await log.note({ ...REJECTED, ...key });
    assert.deepEqual(
      (await rowsOf(key.keyId)).map(({ omitted }) => omitted),
      [2],
    );
  });
});

suite('of the rejected requests of a project', () => {
  test('only the last 10,000 are stored, whatever number of keys they have', async () => {
    const key = await newKey();
    await sql`
      insert into rejected_requests (project_id, id, created_at, key_id, method, route, path, status, problem, detail, has_content, request_id)
      select ${key.projectId}, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, now(), md5((n % 20)::text)::uuid,
        'GET', '', '', 404, 'not-found', '', false, ''
      from generate_series(1, 10_005) n`.execute(db.database);
    await stored([{ ...REJECTED, ...key }]);
    const { rows } = await sql<{ count: number; oldest: string }>`
      select count(*)::int, min(id::text) as oldest from rejected_requests where project_id = ${key.projectId}`.execute(
      db.database,
    );
    assert.deepEqual(rows, [{ count: MAX_PER_PROJECT, oldest: '00000000-0000-7000-8000-000000000007' }]);
  });

  test('a flood with many keys is stored in part, and delays no other project', async () => {
    const projectId = await newProject(db.database);
    const keys = await Promise.all(Array.from({ length: 4 }, () => newKey(projectId)));
    const other = await newKey();
    let nowMs = 0;
    const log = new RejectedRequests({ database: db.database, logger, nowMs: () => nowMs });
    const flood = () =>
      keys.flatMap((key) => Array.from({ length: 150 }, () => log.note({ ...REJECTED, ...key })));
    const count = async () => (await Promise.all(keys.map(({ keyId }) => rowsOf(keyId)))).flat().length;
    const first = flood();
    await Promise.all([...first, log.note({ ...REJECTED, ...other })]);
    assert.equal(await count(), 200);
    assert.equal((await rowsOf(other.keyId)).length, 1);
    await Promise.all(flood());
    assert.equal(await count(), 400);
    await Promise.all(flood());
    assert.equal(await count(), 400);
    nowMs += 1_000;
    await Promise.all(flood());
    assert.equal(await count(), 420);
  });
});

test('when the log is closed, pending requests are stored', async () => {
  const key = await newKey();
  const log = new RejectedRequests({ database: db.database, logger });
  for (let at = 0; at < 150; at++) void log.note({ ...REJECTED, ...key });
  await log[Symbol.asyncDispose]();
  assert.equal((await rowsOf(key.keyId)).length, 150);
});

test('the log of a project does not show requests of another project', async () => {
  const [mine, other] = [await newKey(), await newKey()];
  await stored([{ ...REJECTED, ...mine }]);
  const [{ id } = assert.fail()] = (await listRejected(db.database, mine.projectId, { limit: 10 })).data;
  assert.deepEqual((await listRejected(db.database, other.projectId, { limit: 10 })).data, []);
  assert.equal(await readRejected(db.database, other.projectId, decodeId('rej', id) ?? '', true), null);
});

test('pages of the log continue where the previous page ended, and filters apply to all pages', async () => {
  const projectId = await newProject(db.database);
  const [one, two] = [await newKey(projectId), await newKey(projectId)];
  const log = new RejectedRequests({ database: db.database, logger });
  for (let at = 0; at < 5; at++) {
    await log.note({ ...REJECTED, ...one, requestId: `one ${at}` });
    await log.note({ ...REJECTED, ...two, problem: 'not-found' });
  }
  const all = await listRejected(db.database, projectId, { limit: 100 });
  assert.equal(all.data.length, 10);
  assert.equal(all.next_cursor, null);
  const key = all.data.at(-1)?.key.id ?? '';
  const first = await listRejected(db.database, projectId, { limit: 3, key });
  const second = await listRejected(db.database, projectId, {
    limit: 3,
    key,
    cursor: first.next_cursor ?? '',
  });
  assert.deepEqual([first.data.length, second.data.length, second.next_cursor], [3, 2, null]);
  assert.ok([...first.data, ...second.data].every(({ problem }) => problem === 'validation-failed'));
  assert.equal(
    (await listRejected(db.database, projectId, { limit: 100, problem: 'not-found' })).data.length,
    5,
  );
  await assert.rejects(listRejected(db.database, projectId, { limit: 1, cursor: 'x' }), {
    code: 'validation-failed',
  });
});
