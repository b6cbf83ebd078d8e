/** Tests which emails restricted keys can send, and from which addresses (docs/api-keys.md, Restrictions). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createApiKey } from '../../../../accounts/keys/api-keys.ts';
import { type Restrictions, UNRESTRICTED } from '../../../../accounts/restrictions/restrictions.ts';
import { type ApiClient, apiClient } from '../../../../../test/support/api-client.ts';
import { HOSTED_DOMAIN, type RealApi, startRealApi } from '../../../../../test/support/api.ts';
import { newDomain } from '../../../../../test/support/projects.ts';

let api: RealApi;
before(async () => {
  api = await startRealApi({}, { trustedProxies: ['127.0.0.1', '::1'] });
  await newDomain(api.db.database, api.project.id, 'own.example', {
    status: 'verified',
    verifiedAt: new Date(),
  });
});
after(() => api[Symbol.asyncDispose]());

async function clientOf(restrictions: Partial<Restrictions>): Promise<ApiClient> {
  const { token } = await createApiKey(api.db.database, api.project.id, 'restricted', null, {
    restrictions: { ...UNRESTRICTED, ...restrictions },
  });
  return apiClient(api.baseUrl, token);
}

const email = { from: `shop@${HOSTED_DOMAIN}`, to: ['ada@acme.example'], text: 'It works.' };

async function sent(client: ApiClient, more: object) {
  const { status, body } = await client.post('/v1/emails', { ...email, ...more });
  return { status, type: body['type'], errors: (body['errors'] ?? {}) as Record<string, string> };
}

const OUTSIDE: readonly [more: object, fields: readonly string[]][] = [
  [{}, []],
  [{ to: ['Ada <ADA@Acme.example>', 'bob@acme.example'], cc: ['c@acme.example'] }, []],
  [{ to: ['ada@acme.example', 'b@dst.test'] }, ['to']],
  [{ cc: ['b@dst.test'] }, ['cc']],
  [{ bcc: ['b@dst.test'] }, ['bcc']],
  [{ to: ['b@dst.test'], cc: ['c@dst.test'], bcc: ['d@dst.test'] }, ['bcc', 'cc', 'to']],
  [{ to: ['b@dst.test'], cc: ['b@dst.test'] }, ['to']],
  [{ from: 'shop@own.example' }, ['from']],
  [{ from: 'shop@own.example', bcc: ['b@dst.test'] }, ['bcc', 'from']],
  [{ to: ['b@acme.example.dst.test'] }, ['to']],
];

test('an email outside the restrictions of its key is rejected, with an error for each restricted field', async () => {
  const client = await clientOf({ fromDomains: [HOSTED_DOMAIN], recipients: ['*@acme.example'] });
  for (const [more, fields] of OUTSIDE) {
    for (const size of [1, 200_000]) {
      const { status, type, errors } = await sent(client, { ...more, text: 'x'.repeat(size) });
      assert.deepEqual(Object.keys(errors).toSorted(), fields, JSON.stringify(more));
      assert.equal(status, fields.length === 0 ? 202 : 422);
      if (fields.length > 0) assert.equal(type, '/errors/validation-failed');
    }
  }
  const { errors } = await sent(client, { to: ['ada@acme.example', 'b@dst.test'] });
  assert.equal(errors['to'], 'this API key cannot send to b@dst.test; allowed: *@acme.example');
});

test('a domain allowed by a restriction must still be verified', async () => {
  const client = await clientOf({ fromDomains: ['elsewhere.example'] });
  const { status, type } = await sent(client, { from: 'a@elsewhere.example' });
  assert.deepEqual([status, type], [422, '/errors/domain-not-verified']);
});

test('any key of the project gets a replay, even if its restrictions forbid the email', async () => {
  const headers = { 'idempotency-key': 'order 4711' };
  const first = await api.project.client.post('/v1/emails', email, { headers });
  const again = await (await clientOf({ recipients: ['*@other.example'] })).post('/v1/emails', email, {
    headers,
  });
  assert.equal(again.text, first.text);
});

/** The response to a request from `address`, without its request id. */
async function answerFrom(address: string, token: string) {
  const { status, headers, body } = await apiClient(api.baseUrl, token).get('/v1/domains', {
    headers: { 'x-forwarded-for': address },
  });
  const { instance, ...rest } = body;
  assert.equal(typeof instance, status === 401 ? 'string' : 'undefined');
  const names = [...headers.keys()].toSorted();
  return { status, names, rest: status === 401 ? rest : null };
}

test('a key used from another address or after its expiry gets the same response as an unknown key', async () => {
  const { database } = api.db;
  const restrictions = { ...UNRESTRICTED, addresses: ['192.0.2.0/24', '2001:db8::7'] };
  const { token } = await createApiKey(database, api.project.id, 'office', null, { restrictions });
  const unknown = await answerFrom('192.0.2.1', `svc_live_${'a'.repeat(32)}`);
  assert.equal(unknown.status, 401);
  assert.equal(unknown.rest?.['type'], '/errors/invalid-api-key');
  for (const address of ['192.0.2.1', '2001:db8::7'])
    assert.equal((await answerFrom(address, token)).status, 200);
  for (const address of ['198.51.100.1', '2001:db8::8', 'unknown'])
    assert.deepEqual(await answerFrom(address, token), unknown, address);
  // An address that the client puts into X-Forwarded-For is ignored, because the proxy appends the real address.
  assert.deepEqual(await answerFrom('192.0.2.1, 198.51.100.1', token), unknown);

  const old = await createApiKey(database, api.project.id, 'old', null);
  await database
    .updateTable('apiKeys')
    .set({ expiresAt: new Date(0) })
    .where('name', '=', 'old')
    .execute();
  assert.deepEqual(await answerFrom('192.0.2.1', old.token), unknown);
});
