import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createApiKey } from '../../../src/accounts/keys/api-keys.ts';
import { decodeId } from '../../../src/model/ids.ts';
import type { GrantedScopes } from '../../../src/model/scopes.ts';
import { createCall } from '../../../sdk/src/call.ts';
import { failureOf } from '../../../sdk/src/failure-of.fixture.ts';
import { Resources } from '../../../sdk/src/generated.ts';
import { Posthorn, type PosthornError, verifyWebhook } from '../../../sdk/src/index.ts';
import { HOSTED_DOMAIN, type RealApi, startRealApi } from '../../support/api.ts';
import { startWebhookReceiver } from '../../support/webhook-receiver.ts';

const EMAIL = { from: `hello@${HOSTED_DOMAIN}`, to: ['b@example.org'], text: 'hello' };

let api: RealApi;
let posthorn: Posthorn;
before(async () => {
  api = await startRealApi();
  posthorn = await clientWith(null);
});
after(() => api[Symbol.asyncDispose]());

async function clientWith(scopes: GrantedScopes, baseUrl = api.baseUrl): Promise<Posthorn> {
  const { token } = await createApiKey(api.db.database, api.project.id, 'sdk', scopes);
  return new Posthorn({ apiKey: token, baseUrl });
}

test('the SDK sends an email, reads it and finds it in the list, even if the base URL for sending ends in /api', async () => {
  const below = await clientWith(null, `${api.baseUrl}/api`);
  const { id, status } = await below.emails.send({ ...EMAIL, subject: 'Ü', tags: ['sdk'] });
  assert.equal(status, 'queued');
  const email = await posthorn.emails.get(id);
  assert.equal(email.subject, 'Ü');
  assert.equal(email.events[0]?.type, 'queued');
  const { data } = await posthorn.emails.list({ tag: 'sdk', limit: 1 });
  assert.deepEqual(
    data.map((email) => email.id),
    [id],
  );
});

test('two calls with the same idempotency key send one email, and two calls without a key send two emails', async () => {
  const options = { idempotencyKey: 'order-1' };
  const first = await posthorn.emails.send(EMAIL, options);
  assert.deepEqual(await posthorn.emails.send(EMAIL, options), first);
  assert.notEqual((await posthorn.emails.send(EMAIL)).id, first.id);
  const error = await failureOf(posthorn.emails.send({ ...EMAIL, text: 'other' }, options));
  assert.equal(error.type, '/errors/idempotency-key-reused');
});

test('a send whose response is lost creates one email', async () => {
  let lost = 0;
  const { token } = await createApiKey(api.db.database, api.project.id, 'lossy', null);
  const options = {
    apiKey: token,
    baseUrl: api.baseUrl,
    async fetch(url: string, init: RequestInit) {
      const response = await fetch(url, init);
      if (lost++ > 0) return response;
      await response.text();
      throw new TypeError('fetch failed');
    },
  };
  const lossy = new Resources(
    createCall(options, { wait: async () => {}, nowMs: Date.now, random: Math.random }),
  );
  const { id } = await lossy.emails.send({ ...EMAIL, tags: ['lossy'] });
  const { data } = await posthorn.emails.list({ tag: 'lossy' });
  assert.deepEqual(
    data.map((email) => email.id),
    [id],
  );
});

test('emails.iterate yields each email of many pages once, newest first', async () => {
  const sent: string[] = [];
  for (let recipientIndex = 0; recipientIndex < 5; recipientIndex += 1)
    sent.push((await posthorn.emails.send({ ...EMAIL, tags: ['pages'] })).id);
  const seen: string[] = [];
  for await (const { id } of posthorn.emails.iterate({ tag: 'pages', limit: 2 })) seen.push(id);
  assert.deepEqual(seen, sent.reverse());
});

test('an error of the SDK has the details of the response', async () => {
  const invalid = await failureOf(posthorn.emails.send({ ...EMAIL, from: 'nobody', to: [] }));
  assert.deepEqual(
    [invalid.status, invalid.type, Object.keys(invalid.errors).includes('to')],
    [422, '/errors/validation-failed', true],
  );
  assert.match(invalid.instance ?? '', /^req_/);

  const restricted = await clientWith(['emails:send']);
  const forbidden = await failureOf(restricted.emails.list());
  assert.deepEqual(
    [forbidden.status, forbidden.type, forbidden.problem?.required_scope],
    [403, '/errors/missing-scope', 'emails:read'],
  );

  const stranger = new Posthorn({ apiKey: 'svc_live_nobody', baseUrl: api.baseUrl });
  assert.equal((await failureOf(stranger.emails.list())).type, '/errors/invalid-api-key');
  assert.equal((await failureOf(posthorn.emails.get('em_unknown'))).type, '/errors/not-found');
});

test('a rate-limit error has the seconds to wait', async () => {
  await using limited = await startRealApi({}, { rateLimit: 1 });
  const { token } = await createApiKey(limited.db.database, limited.project.id, 'eager', null);
  const eager = new Posthorn({ apiKey: token, baseUrl: limited.baseUrl, maxRetries: 0 });
  const burst = await Promise.allSettled(Array.from({ length: 30 }, () => eager.templates.list()));
  const rejections = burst.flatMap((call) =>
    call.status === 'rejected' ? [call.reason as PosthornError] : [],
  );
  assert.ok(rejections.length > 0);
  for (const error of rejections) {
    assert.equal(error.type, '/errors/rate-limited');
    assert.ok((error.retryAfterSeconds ?? 0) >= 1);
  }
});

test('the SDK creates, lists, reads, verifies and deletes domains', async () => {
  const { id, records } = await posthorn.domains.create({ domain: 'sdk.example.com' });
  assert.ok(records.some(({ record }) => record === 'DKIM'));
  assert.ok((await posthorn.domains.list()).data.some((domain) => domain.id === id));
  assert.equal((await posthorn.domains.get(id)).domain, 'sdk.example.com');
  assert.equal(await posthorn.domains.delete(id), undefined);
  assert.equal((await failureOf(posthorn.domains.verify(id))).status, 404);
});

test('the SDK creates, lists, reads, updates and deletes mailboxes, and synchronizes the directory', async () => {
  const hosted = (await posthorn.domains.list()).data.find(({ is_hosted }) => is_hosted);
  assert.ok(hosted !== undefined);
  const { id, password } = await posthorn.mailboxes.create({ domain_id: hosted.id, local_part: 'sdk' });
  assert.ok((password ?? '').length >= 12);
  assert.ok((await posthorn.mailboxes.list()).data.some((mailbox) => mailbox.id === id));
  assert.equal((await posthorn.mailboxes.update(id, { display_name: 'S' })).display_name, 'S');
  assert.equal((await posthorn.mailboxes.update(id)).display_name, 'S');
  assert.equal((await posthorn.mailboxes.get(id)).address, `sdk@${HOSTED_DOMAIN}`);
  const { people } = await posthorn.directory.list();
  const member = people.find(({ source }) => source === 'mailbox');
  assert.equal(
    (await failureOf(posthorn.directory.delete(member?.id ?? ''))).type,
    '/errors/synced-member-protected',
  );
  await posthorn.mailboxes.delete(id);
});

test('the SDK creates, lists and deletes people of the directory', async () => {
  const { id } = await posthorn.directory.create({ name: 'Ada', email: 'ada@example.org' });
  assert.ok((await posthorn.directory.list()).people.some((person) => person.id === id));
  await posthorn.directory.delete(id);
});

test('the SDK lists and reads templates', async () => {
  assert.deepEqual(await posthorn.templates.list(), { data: [] });
  assert.equal((await failureOf(posthorn.templates.get('tpl_unknown'))).status, 404);
});

test('the SDK creates, reads, updates, tests and deletes webhooks, and a delivery passes verification', async () => {
  await using receiver = await startWebhookReceiver();
  const { id, secret } = await posthorn.webhooks.create({ url: receiver.url, events: ['email.sent'] });
  assert.ok((await posthorn.webhooks.list()).data.some((webhook) => webhook.id === id));
  assert.equal(
    (await posthorn.webhooks.update(id, { events: ['email.bounced'] })).events[0],
    'email.bounced',
  );

  const { success, http_status, delivery_id } = await posthorn.webhooks.test(id);
  assert.deepEqual({ success, http_status }, { success: true, http_status: 200 });
  const [post] = await receiver.waitFor(1);
  const signature = String(post?.headers['x-mail-signature']);
  const event = await verifyWebhook(post?.body ?? '', signature, secret);
  assert.ok(event.type === 'webhook.test');
  assert.equal(event.data.webhook_id, id);
  await assert.rejects(verifyWebhook(`${post?.body} `, signature, secret), { reason: 'signature-mismatch' });

  const { deliveries } = await posthorn.webhooks.get(id);
  assert.equal(deliveries[0]?.id, delivery_id);
  assert.ok(decodeId('dlv', delivery_id) !== null);
  await posthorn.webhooks.delete(id);
});
