import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  HOSTED_DOMAIN,
  type RealApi,
  startRealApi,
  type TestProject,
} from '../../../../../test/support/api.ts';
import { changeProjectSettings } from '../../../../accounts/projects/project-settings.ts';
import { secondsToNextMonth } from '../../../../model/month.ts';
import { PLAN_LIMITS } from '../../../../model/plans.ts';

const QUOTA = 100;
const EMAIL = { from: `shop@${HOSTED_DOMAIN}`, to: ['a@x.test', 'b@x.test'], text: 'It works.' };

let api: RealApi;
before(async () => {
  api = await startRealApi();
});
after(() => api[Symbol.asyncDispose]());

function send(project: TestProject, key?: string, body: object = EMAIL) {
  return project.client.post('/v1/emails', body, {
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });
}

async function stored(project: TestProject): Promise<number> {
  const list = await project.client.get<{ data: unknown[] }>('/v1/emails?limit=200');
  return list.body.data.length;
}

async function useUp(project: TestProject, firstKey: string) {
  const first = await send(project, firstKey);
  await Promise.all(Array.from({ length: QUOTA - 1 }, () => send(project)));
  return first;
}

test('of 200 concurrent requests exactly the quota is accepted, and all others get 429 with Retry-After', async () => {
  const free = await api.newProject('crowd', 'free');
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, at) => send(free, at % 2 === 0 ? `key-${at}` : undefined)),
  );
  const refused = answers.filter(({ status }) => status === 429);
  assert.equal(answers.filter(({ status }) => status === 202).length, QUOTA);
  assert.equal(refused.length, 200 - QUOTA);
  assert.equal(await stored(free), QUOTA);
  for (const { body, headers } of refused) {
    assert.equal(body['type'], '/errors/quota-exceeded');
    const expected = secondsToNextMonth(new Date());
    const retryAfter = Number(headers.get('retry-after'));
    assert.ok(retryAfter >= expected && retryAfter <= expected + 60, `${retryAfter}`);
  }
});

test('with the quota used up, a replay is returned, another body returns 422, and a rejected key can be used again', async () => {
  const free = await api.newProject('replay', 'free');
  const first = await useUp(free, 'first');
  const replay = await send(free, 'first');
  assert.deepEqual([replay.status, replay.text], [202, first.text]);
  assert.equal(replay.headers.get('idempotent-replayed'), 'true');
  assert.equal((await send(free, 'first', { ...EMAIL, text: 'other' })).status, 422);
  assert.equal((await send(free, 'late')).status, 429);
  assert.equal((await send(free, 'late', { ...EMAIL, text: 'other' })).status, 429);

  await changeProjectSettings(api.db.database, free.id, { plan: 'paid' });
  // The cached API key still has the plan `free`, but the check in the transaction reads the new plan.
  const late = await send(free, 'late');
  assert.deepEqual([late.status, late.headers.get('idempotent-replayed')], [202, null]);
});

test('many requests with one idempotency key count once against the quota', async () => {
  const free = await api.newProject('twins', 'free');
  const answers = await Promise.all(Array.from({ length: 50 }, () => send(free, 'one')));
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  assert.equal(await stored(free), 1);
});

test('a project that has used up its quota does not delay another project', async () => {
  const free = await api.newProject('full', 'free');
  await useUp(free, 'first');
  const [over, paid] = await Promise.all([send(free), send(api.project)]);
  assert.deepEqual([over.status, paid.status], [429, 202]);
});

test('an email above the storage limit returns 422 with errors for its bodies', async () => {
  const free = await api.newProject('storage', 'free');
  await api.db.database
    .updateTable('projects')
    .set({ storageBytes: String(PLAN_LIMITS.free.storageBytes) })
    .where('id', '=', free.id)
    .execute();
  const text = await send(free, 'key');
  assert.deepEqual([text.status, text.body['type']], [422, '/errors/plan-limit-exceeded']);
  assert.deepEqual(Object.keys(text.body['errors'] as object), ['text']);
  const both = await send(free, undefined, { ...EMAIL, html: '<p>It works.</p>' });
  assert.deepEqual(Object.keys(both.body['errors'] as object), ['html', 'text']);
  assert.equal(await stored(free), 0);
});
