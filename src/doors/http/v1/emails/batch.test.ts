import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  HOSTED_DOMAIN,
  type RealApi,
  startRealApi,
  type TestProject,
} from '../../../../../test/support/api.ts';

let api: RealApi;
before(async () => {
  api = await startRealApi();
});
after(() => api[Symbol.asyncDispose]());

const from = `shop@${HOSTED_DOMAIN}`;
const emailTo = (address: string, more: object = {}) => ({ from, to: [address], text: 'It works.', ...more });
const emails = (count: number) => Array.from({ length: count }, (_, at) => emailTo(`b${at}@dst.test`));

function send(project: TestProject, batch: object, key?: string) {
  return project.client.post('/v1/emails/batch', batch, {
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });
}

async function stored({ client }: TestProject): Promise<{ id: string; to: string[] }[]> {
  const list = await client.get<{ data: { id: string; to: string[] }[] }>('/v1/emails?limit=200');
  return list.body.data;
}

test('all emails of a batch are queued and returned in order', async () => {
  const project = await api.newProject('whole', 'paid');
  const answer = await send(project, { emails: emails(100) });
  assert.equal(answer.status, 202);
  const data = answer.body['data'] as { id: string; status: string; created_at: string }[];
  const ids = new Map((await stored(project)).map(({ id, to }) => [id, to]));
  assert.deepEqual(
    data.map(({ id, status }) => [ids.get(id), status]),
    emails(100).map(({ to }) => [to, 'queued']),
  );
});

test('an idempotency key covers the whole batch: a replay is identical, and another batch is rejected', async () => {
  const project = await api.newProject('once', 'paid');
  const batch = { emails: emails(3) };
  const [first, twin] = await Promise.all([send(project, batch, 'key'), send(project, batch, 'key')]);
  const again = await send(project, batch, 'key');
  assert.deepEqual([twin.text, again.text, again.status], [first.text, first.text, 202]);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  for (const other of [{ emails: emails(2) }, { emails: emails(3).toReversed() }])
    assert.equal((await send(project, other, 'key')).body['type'], '/errors/idempotency-key-reused');
  const single = await project.client.post('/v1/emails', emails(1)[0] ?? {}, {
    headers: { 'idempotency-key': 'key' },
  });
  assert.equal(single.body['type'], '/errors/idempotency-key-reused');
  assert.equal((await stored(project)).length, 3);
});

const WRONG: Readonly<Record<string, [wrong: object, message: RegExp]>> = {
  'an address': [emailTo('nobody'), /^emails\[1\]\.to\[0\]: not an address/],
  'an unknown field': [emailTo('b@dst.test', { subjekt: 'x' }), /^emails\[1\]\.subjekt: unknown field/],
  'no body': [{ from, to: ['b@dst.test'] }, /^emails\[1\]\.html: html or text is required/],
  'a domain that is not verified': [
    emailTo('b@dst.test', { from: 'a@acme.example' }),
    /^emails\[1\]\.from: acme\.example is not/,
  ],
  'a time in the past': [
    emailTo('b@dst.test', { scheduled_at: '2020-01-01T00:00:00Z' }),
    /^emails\[1\]\.scheduled_at: is in the past/,
  ],
};
for (const [name, [wrong, message]] of Object.entries(WRONG))
  test(`${name} in one email rejects the batch and names the email`, async () => {
    const project = await api.newProject(`wrong ${name}`, 'paid');
    // The large batch is parsed in the worker thread.
    for (const filler of ['small', 'x'.repeat(70_000)]) {
      const batch = { emails: [emailTo('a@dst.test', { text: filler }), wrong, emailTo('c@dst.test')] };
      const { status, body } = await send(project, batch, 'key');
      assert.equal(status, 422);
      assert.deepEqual(Object.keys(body['errors'] as object), ['emails']);
      assert.match((body['errors'] as Record<string, string>)['emails'] ?? '', message);
    }
    assert.deepEqual(await stored(project), []);
  });

test('a batch must be an object with a list of 1 to 100 emails and no other fields', async () => {
  const { project } = api;
  for (const [batch, field] of [
    [{ emails: [] }, 'emails'],
    [{ emails: emails(101) }, 'emails'],
    [{ emails: [1] }, 'emails'],
    [{ emails: emails(1), from }, 'from'],
    [{}, 'emails'],
  ] as const) {
    const { status, body } = await send(project, batch);
    assert.deepEqual([status, Object.keys((body['errors'] as object | undefined) ?? {})], [422, [field]]);
  }
  const { status, body } = await project.client.post('/v1/emails/batch', emails(2));
  assert.deepEqual([status, Object.keys(body['errors'] as object)], [422, ['body']]);
  const reader = await project.clientWith(['emails:read']);
  assert.equal((await reader.post('/v1/emails/batch', { emails: emails(1) })).status, 403);
});

test('a batch above the quota is rejected as a whole, and its idempotency key can be used again for a smaller batch', async () => {
  const project = await api.newProject('full', 'free');
  assert.equal((await send(project, { emails: emails(90) })).status, 202);
  const over = await send(project, { emails: emails(11) }, 'key');
  assert.deepEqual([over.status, over.body['type']], [429, '/errors/quota-exceeded']);
  assert.equal((await stored(project)).length, 90);
  assert.equal((await send(project, { emails: emails(10) }, 'key')).status, 202);
  assert.equal((await stored(project)).length, 100);
  assert.equal(
    (await send(project, { emails: emails(10) }, 'key')).headers.get('idempotent-replayed'),
    'true',
  );
});

test('concurrent batches and single emails use up the quota without exceeding it', async () => {
  const project = await api.newProject('crowd', 'free');
  const answers = await Promise.all([
    ...Array.from({ length: 12 }, () => send(project, { emails: emails(7) })),
    ...Array.from({ length: 60 }, () => project.client.post('/v1/emails', emailTo('b@dst.test'))),
  ]);
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([202, 429]));
  const { length } = await stored(project);
  assert.ok(length > 93 && length <= 100, `${length}`);
});
