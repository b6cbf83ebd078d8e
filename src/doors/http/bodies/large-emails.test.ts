/** Tests large emails with the whole API and a real database. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { decodeId } from '../../../model/ids.ts';
import { HOSTED_DOMAIN, type RealApi, startRealApi } from '../../../../test/support/api.ts';

let api: RealApi;
before(async () => {
  api = await startRealApi();
});
after(() => api[Symbol.asyncDispose]());

const email = { from: `shop@${HOSTED_DOMAIN}`, to: ['b@dst.test'] };

async function send(body: object, key?: string) {
  const options = key === undefined ? {} : { headers: { 'idempotency-key': key } };
  const { status, body: answer } = await api.project.client.post('/v1/emails', body, options);
  const errors = (answer['errors'] ?? {}) as Record<string, string>;
  return { status, id: String(answer['id']), type: answer['type'], errors };
}

test('the largest possible html and text are returned unchanged', async () => {
  const html = `<p>"é"\n</p>`.repeat(170_000);
  const text = 'z'.repeat(2 * 1024 * 1024);
  const { status, id } = await send({ ...email, html, text });
  assert.equal(status, 202);
  const { body } = await api.project.client.get(`/v1/emails/${id}`);
  assert.ok(body['html'] === html && body['text'] === text);
});

test('two large emails with the same idempotency key are sent once', async () => {
  const body = { ...email, html: 'x'.repeat(200_000) };
  const first = await send(body, 'large');
  assert.equal((await send({ html: body.html, ...email }, 'large')).id, first.id);
  const { type } = await send({ ...body, subject: 'Another' }, 'large');
  assert.equal(type, '/errors/idempotency-key-reused');
});

test('errors in a large email are reported by field', async () => {
  const html = 'x'.repeat(200_000);
  const { errors } = await send({ ...email, html, to: ['b@dst.test', 'nobody'], subject: 'a\nb' });
  assert.deepEqual(Object.keys(errors).toSorted(), ['subject', 'to']);
  assert.match(errors['to'] ?? '', /^to\[1\]: not an address/);
  assert.deepEqual(Object.keys((await send({ ...email, html, color: 'red' })).errors), ['color']);
  const { status, type } = await send({ from: 'a@elsewhere.test', to: ['b@dst.test'], html });
  assert.deepEqual([status, type], [422, '/errors/domain-not-verified']);
});

test('1,000 spellings of one address are one recipient', async () => {
  const to = Array.from({ length: 1_000 }, (_, n) => `${n} <b@bücher.example>`);
  assert.equal((await send({ ...email, to, text: 'Hello' })).status, 202);
});

test('a body with more fields than any email can have is rejected with 400', async () => {
  const body = Object.fromEntries(Array.from({ length: 400_000 }, (_, n) => [`f${n}`, 1]));
  const { status, type } = await send(body);
  assert.deepEqual([status, type], [400, '/errors/bad-request']);
});

test('an empty html counts as missing, but the API returns an empty string', async () => {
  const { id } = await send({ ...email, html: '', text: 'Hello' });
  const stored = await api.db.database
    .selectFrom('emailContents')
    .select(['html', 'text'])
    .where('emailId', '=', decodeId('em', id) ?? '')
    .execute();
  assert.deepEqual(stored, [{ html: null, text: 'Hello' }]);
  const { body } = await api.project.client.get(`/v1/emails/${id}`);
  assert.deepEqual([body['html'], body['text']], ['', 'Hello']);
  const { status, errors } = await send({ ...email, html: '', text: '' });
  assert.deepEqual([status, Object.keys(errors)], [422, ['html', 'text']]);
});
