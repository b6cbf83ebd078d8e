/** Tests the audit log of changes made through the API. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type RealApi, startRealApi } from '../../../../test/support/api.ts';
import { newDomain } from '../../../../test/support/projects.ts';
import { encodeId } from '../../../model/ids.ts';
import { OPERATIONS } from './operations.ts';

let api: RealApi;
let domainId: string;
before(async () => {
  api = await startRealApi();
  domainId = encodeId('dom', await newDomain(api.db.database, api.project.id, 'acme.example'));
});
after(() => api[Symbol.asyncDispose]());

const PASSWORD = 'correct horse battery';
const URL = 'https://hooks.example/posthorn';
/** The id or name of the resource that an earlier operation created, by the first segment of its path. */
const made = new Map([['suppressions', 'b@dst.test']]);
const idOf = (resource: string) => made.get(resource) ?? '';

interface Case {
  body?(): object;
  /** The logged action. Null if the operation changes nothing, so that nothing is logged. */
  action: string | null;
  /** Expected fields of the row in the audit log. */
  before?: object | null;
  after?: object | null;
}

/** In order of execution, because cases use resources that earlier cases created. */
const CASES: Readonly<Record<string, Case>> = {
  createDomain: { body: () => ({ domain: 'shop.example' }), action: 'domain.add' },
  verifyDomain: { action: null },
  createMailbox: {
    body: () => ({ domain_id: domainId, local_part: 'sales', display_name: 'Sales' }),
    action: 'mailbox.create',
    before: null,
    after: {
      address: 'sales@acme.example',
      display_name: 'Sales',
      is_catch_all: false,
      quota_mb: 1024,
      daily_send_limit: null,
      spam_level: null,
      reply_to: null,
      signature_html: null,
    },
  },
  updateMailbox: {
    body: () => ({ display_name: 'Shop', quota_mb: 1024, signature_html: '<p>Hi</p>' }),
    action: 'mailbox.update',
    before: { display_name: 'Sales', signature_html: null },
    after: { display_name: 'Shop', signature_html: '<p>Hi</p>' },
  },
  createAlias: {
    body: () => ({ domain_id: domainId, local_part: 'info', mailbox_ids: [idOf('mailboxes')] }),
    action: 'alias.create',
  },
  updateAlias: {
    body: () => ({ mailbox_ids: [idOf('second mailbox')] }),
    action: 'alias.update',
  },
  deleteAlias: { action: 'alias.delete', before: { address: 'info@acme.example' }, after: null },
  deleteMailbox: { action: 'mailbox.delete', before: { address: 'sales@acme.example' }, after: null },
  createWebhook: { body: () => ({ url: URL, events: ['email.sent'] }), action: 'webhook.create' },
  updateWebhook: { body: () => ({ enabled: false }), action: 'webhook.update' },
  testWebhook: { action: null },
  deleteWebhook: { action: 'webhook.delete' },
  createRoute: {
    body: () => ({ domain_id: domainId, local_part: 'orders', url: URL }),
    action: 'route.create',
    before: null,
    after: { address: 'orders@acme.example', url: URL, format: 'json' },
  },
  updateRoute: {
    body: () => ({ format: 'raw' }),
    action: 'route.update',
    before: { format: 'json' },
    after: { format: 'raw' },
  },
  deleteRoute: { action: 'route.delete', before: { address: 'orders@acme.example' }, after: null },
  createPerson: {
    body: () => ({ name: 'Ada', email: 'ada@acme.example' }),
    action: 'person.create',
    before: null,
    after: { name: 'Ada', email: 'ada@acme.example', title: null, organization: null, notes: null },
  },
  deletePerson: { action: 'person.delete', before: { name: 'Ada', email: 'ada@acme.example' }, after: null },
  deleteDomain: { action: 'domain.delete' },
  addSuppressions: {
    body: () => ({ addresses: [idOf('suppressions')] }),
    action: 'suppression.create',
    before: null,
    after: { reason: 'manual', expires_at: null },
  },
  removeSuppression: {
    action: 'suppression.delete',
    before: { reason: 'manual', expires_at: null },
    after: null,
  },
  sendEmail: {
    body: () => ({ from: 'a@hosted.example', to: ['b@dst.test'], text: 'It works.' }),
    action: null,
  },
  cancelEmail: { action: 'email.cancel' },
  sendBatch: {
    body: () => ({ emails: [{ from: 'a@hosted.example', to: ['b@dst.test'], text: 'It works.' }] }),
    action: null,
  },
};

/** Actions that the tests of other modules cover. */
const OTHERS = /^(?:domain|webhook)\./;

function rows() {
  return api.db.database
    .selectFrom('auditLog')
    .selectAll()
    .where('projectId', '=', api.project.id)
    .where('actorKind', '=', 'api-key')
    .orderBy('id')
    .execute();
}

test('CASES has every operation of the API except GET operations', () => {
  // src/routes/deliver/route-queue.test.ts replays a message.
  const changing = OPERATIONS.filter(({ method }) => method !== 'GET')
    .map(({ operationId }) => operationId)
    .filter((operationId) => operationId !== 'replayRouteMessage');
  assert.deepEqual(Object.keys(CASES).toSorted(), changing.toSorted());
});

test('each change by a key is logged with the key, the client address and the difference', async () => {
  const { client } = api.project;
  const second = await client.post('/v1/mailboxes', {
    domain_id: domainId,
    local_part: 'second',
    password: PASSWORD,
  });
  made.set('second mailbox', String(second.body['id']));
  const secrets = [PASSWORD];
  for (const [operationId, { body, action, ...fields }] of Object.entries(CASES)) {
    const operation = OPERATIONS.find((each) => each.operationId === operationId);
    assert.ok(operation);
    const { tag, method, path } = operation;
    const earlier = (await rows()).length;
    const answer = await client.request(method, `/v1${path.replace(/\{\w+\}/, idOf(tag))}`, {
      ...(body !== undefined && { body: body() }),
    });
    assert.ok(answer.status < 300, `${operationId}: ${answer.text}`);
    if (method === 'POST' && 'id' in answer.body) made.set(tag, String(answer.body['id']));
    for (const name of ['password', 'secret'])
      if (typeof answer.body?.[name] === 'string') secrets.push(answer.body[name]);
    const [row, ...more] = (await rows()).slice(earlier);
    assert.deepEqual(more, [], operationId);
    if (row === undefined && OTHERS.test(action ?? '')) continue;
    assert.equal(row?.action ?? null, action, operationId);
    if (row === undefined) continue;
    const { actorName, address, target, before, after } = row;
    assert.deepEqual([actorName, target], ['test', idOf(tag)], operationId);
    assert.match(address ?? '', /^(?:127\.0\.0\.1|::1)$/);
    assert.partialDeepStrictEqual({ before, after }, fields, operationId);
  }
  assert.equal(secrets.length, 4);
  const log = JSON.stringify(await rows());
  for (const secret of secrets) assert.ok(!log.includes(secret));
});

test('suppressing many addresses writes one log entry, or none if all were already suppressed', async () => {
  const earlier = (await rows()).length;
  const body = { addresses: ['c@dst.test', 'd@dst.test'], reason: 'unsubscribe' };
  for (let time = 0; time < 2; time++)
    assert.equal((await api.project.client.post('/v1/suppressions', body)).status, 200);
  const [row, ...more] = (await rows()).slice(earlier);
  assert.deepEqual(more, []);
  assert.partialDeepStrictEqual(row, {
    action: 'suppression.import',
    target: '2 addresses',
    before: null,
    after: { added: 2, addresses: ['c@dst.test (unsubscribe)', 'd@dst.test (unsubscribe)'] },
  });
});

test('rejected requests are not logged', async () => {
  const earlier = (await rows()).length;
  const { client } = api.project;
  await client.post('/v1/mailboxes', { domain_id: domainId, local_part: 'second' });
  await client.post('/v1/directory', { name: 'x', email: 'no address' });
  await client.delete(`/v1/mailboxes/${encodeId('mbx', api.project.id)}`);
  await client.patch(`/v1/mailboxes/${idOf('second mailbox')}`, { display_name: 'a\nb' });
  assert.equal((await rows()).length, earlier);
});

test('setting a field to its current value is not logged', async () => {
  const path = `/v1/mailboxes/${idOf('second mailbox')}`;
  const earlier = (await rows()).length;
  for (let time = 0; time < 2; time++)
    assert.equal((await api.project.client.patch(path, { daily_send_limit: 7 })).status, 200);
  assert.equal((await rows()).length, earlier + 1);
});
