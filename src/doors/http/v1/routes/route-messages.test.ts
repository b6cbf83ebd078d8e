import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { type RealApi, startRealApi } from '../../../../../test/support/api.ts';
import { insertMessage, newRoute, type TestRoute } from '../../../../../test/support/routes.ts';
import { createApiKey } from '../../../../accounts/keys/api-keys.ts';
import type { RouteMessage, RouteMessageList } from '../../../../contract/route-messages.ts';
import { encodeId } from '../../../../model/ids.ts';
import type { HttpServices } from '../../services.ts';
import type { GrantedScopes } from '../../../../model/scopes.ts';
import { REPLY } from '../../../../routes/formats/routed.fixture.ts';
import { sealRouteSecret } from '../../../../routes/secrets.ts';
import { notifyChanged } from '../../../../store/notices.ts';

let api: RealApi;
let route: TestRoute;
/** The token of a key with full access. */
let token: string;
before(async () => {
  api = await startRealApi();
  token = await tokenWith(null);
});
after(() => api[Symbol.asyncDispose]());

async function tokenWith(scopes: GrantedScopes, projectId = api.project.id): Promise<string> {
  return (await createApiKey(api.db.database, projectId, 'test', scopes)).token;
}

/** Stores a route whose messages are fetched. */
function newFetched(
  mailboxId?: string,
  projectId = api.project.id,
  { database, sealer } = api.core,
): Promise<TestRoute> {
  const ofMailbox = mailboxId === undefined ? {} : { mailboxId };
  return newRoute(database, sealer, { projectId, url: null, format: 'json', ...ofMailbox });
}

function add(text: string, to: TestRoute = route): Promise<string> {
  const { database, blobs } = api.core;
  return insertMessage({ database, blobs }, to, text);
}

function list(query: string, of: TestRoute = route, client = api.project.client) {
  return client.get<RouteMessageList>(`/v1/routes/${of.id}/messages${query}`);
}

function subjects({ data }: RouteMessageList): string[] {
  return data.map((message) => message.data.subject);
}

suite('the messages of a route', () => {
  before(async () => {
    route = await newFetched();
  });

  test('are fetched in order, and a cursor continues behind the last one', async () => {
    const empty = await list('');
    assert.deepEqual(empty.body.data, []);
    for (const subject of ['one', 'two', 'three']) await add(`Subject: ${subject}\n\nx`);
    const first = (await list(`?after=${empty.body.cursor}&limit=2`)).body;
    assert.deepEqual([subjects(first), first.has_more], [['one', 'two'], true]);
    const second = (await list(`?after=${first.cursor}`)).body;
    assert.deepEqual([subjects(second), second.has_more], [['three'], false]);
    const none = (await list(`?after=${second.cursor}`)).body;
    assert.deepEqual([none.data, none.cursor], [[], second.cursor]);
    assert.equal((await list('')).body.data.length, 3, 'fetching does not remove messages');
  });

  test('that are committed late come after the cursor of messages that were committed before', async () => {
    const late = await newFetched();
    const { database } = api.core;
    const { promise: isInserted, resolve: inserted } = Promise.withResolvers<void>();
    const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>();
    const transaction = database.transaction().execute(async (tx) => {
      await insertMessage({ database: tx, blobs: api.core.blobs }, late, 'Subject: first\n\nx');
      inserted();
      await mayCommit;
    });
    await isInserted;
    const second = add('Subject: second\n\nx', late);
    const before = (await list('', late)).body;
    commit();
    await Promise.all([transaction, second]);
    const rest = (await list(`?after=${before.cursor}`, late)).body;
    assert.deepEqual([...subjects(before), ...subjects(rest)], ['first', 'second']);
  });

  test('wake a program that waits', async () => {
    const { cursor } = (await list('')).body;
    const waiting = list(`?after=${cursor}&wait=30`);
    await add('Subject: new\n\nx');
    // Sent until the program has subscribed.
    const notices = setInterval(() => {
      void notifyChanged(api.core.database, [`${route.routeId}/${route.routeId}`]);
    }, 20);
    try {
      assert.deepEqual(subjects((await waiting).body), ['new']);
    } finally {
      clearInterval(notices);
    }
  });

  test('are an empty list if none arrives while a program waits', async () => {
    const { cursor } = (await list('')).body;
    const { status, body } = await list(`?after=${cursor}&wait=1`);
    assert.deepEqual([status, body], [200, { data: [], cursor, has_more: false }]);
  });

  test('can be waited for by 50 programs of a project at once', async () => {
    const own = await newFetched();
    const stop = new AbortController();
    const headers = { authorization: `Bearer ${token}` };
    const url = `${api.baseUrl}/v1/routes/${own.id}/messages?wait=30`;
    const waiting = Array.from({ length: 51 }, () => fetch(url, { headers, signal: stop.signal }));
    const all = Promise.allSettled(waiting);
    const first = await Promise.any(waiting);
    assert.equal(first.status, 429);
    assert.ok(first.headers.has('retry-after'));
    stop.abort();
    await all;
    // The slots of clients that left are free again.
    let status = 429;
    while (status === 429) ({ status } = await list('?wait=1', own));
    assert.equal(status, 200);
  });

  test('end the wait of a program at once when the process stops', async () => {
    const { promise: isIn, resolve: arrived } = Promise.withResolvers<void>();
    const own = await startRealApi({}, {}, (services) =>
      Object.assign(Object.create(services) as HttpServices, {
        async authenticate(...credentials: Parameters<HttpServices['authenticate']>) {
          arrived();
          return services.authenticate(...credentials);
        },
      }),
    );
    const waited = await newFetched(undefined, own.project.id, own.core);
    const waiting = own.project.client.get<RouteMessageList>(`/v1/routes/${waited.id}/messages?wait=30`);
    await isIn;
    await Promise.all([own[Symbol.asyncDispose](), waiting]);
    assert.deepEqual([(await waiting).status, (await waiting).body.data], [200, []]);
  });

  test('are whole, one by one, with their files as links', async () => {
    const messageId = await add(REPLY);
    const id = encodeId('rm', messageId);
    const { body } = await api.project.client.get<RouteMessage>(`/v1/routes/${route.id}/messages/${id}`);
    assert.equal(body.id, id);
    assert.equal(body.data.reply, 'It arrived.');
    assert.deepEqual(body.data.headers[0], { name: 'X-Posthorn-Loop', value: route.id });
    assert.deepEqual(
      body.data.attachments.map(({ filename }) => filename),
      ['a.png', '_r=C3=A9.csv'],
    );
  });

  for (const [what, path] of [
    ['an unknown route', () => `/v1/routes/rt_${'0'.repeat(26)}/messages`],
    ['an unknown message', () => `/v1/routes/${route.id}/messages/rm_${'0'.repeat(26)}`],
    ['a malformed id', () => `/v1/routes/${route.id}/messages/x`],
  ] as const)
    test(`are not found with ${what}`, async () => {
      assert.equal((await api.project.client.get(path())).status, 404);
    });

  test('are found by no other project', async () => {
    const id = encodeId('rm', await add('Subject: x\n\nx'));
    assert.equal((await list('', route, api.other.client)).status, 404);
    assert.equal((await api.other.client.get(`/v1/routes/${route.id}/messages/${id}`)).status, 404);
  });

  test('need the scope routes:read', async () => {
    assert.equal((await list('', route, await api.project.clientWith(['webhooks:read']))).status, 403);
    assert.equal((await list('', route, await api.project.clientWith(['routes:read']))).status, 200);
  });

  test('of a mailbox are returned only while the mailbox permits access by programs', async () => {
    const { body: mailbox } = await api.project.client.post<{ id: string }>('/v1/mailboxes', {
      domain_id: await hostedDomainId(),
      local_part: 'private',
      password: 'a long password of a mailbox',
    });
    const mailboxId =
      (
        await sql<{ id: string }>`select id from mailboxes where local_part = 'private'`.execute(
          api.db.database,
        )
      ).rows[0]?.id ?? '';
    assert.ok(mailbox.id);
    const own = await newFetched(mailboxId);
    const id = encodeId('rm', await add('Subject: secret\n\nx', own));
    const permit = (isPermitted: boolean) =>
      sql`update mailboxes set api_access = ${isPermitted} where id = ${mailboxId}`.execute(api.db.database);
    await permit(true);
    assert.deepEqual(subjects((await list('', own)).body), ['secret']);
    const link = await linkOf(own, id);
    await permit(false);
    assert.equal((await list('', own)).status, 400);
    assert.equal((await api.project.client.get(`/v1/routes/${own.id}/messages/${id}`)).status, 400);
    assert.equal((await fetch(link, { headers: { authorization: `Bearer ${own.secret}` } })).status, 404);
  });
});

async function hostedDomainId(): Promise<string> {
  const { body } = await api.project.client.get<{ data: { id: string; is_hosted: boolean }[] }>(
    '/v1/domains',
  );
  return body.data.find(({ is_hosted: isHosted }) => isHosted)?.id ?? '';
}

async function linkOf(of: TestRoute, id: string): Promise<string> {
  const { body } = await api.project.client.get<RouteMessage>(`/v1/routes/${of.id}/messages/${id}`);
  return body.data.raw.url;
}

suite('the link of a file', () => {
  let message: RouteMessage;
  before(async () => {
    route = await newFetched();
    const id = encodeId('rm', await add(REPLY));
    ({ body: message } = await api.project.client.get<RouteMessage>(`/v1/routes/${route.id}/messages/${id}`));
  });

  function open(url: string, token: string | null): Promise<Response> {
    return fetch(url, token === null ? {} : { headers: { authorization: `Bearer ${token}` } });
  }
  const urlAt = (at: number): string => message.data.attachments[at]?.url ?? '';

  test('opens with the secret of the route or an API key, and browsers only save the file', async () => {
    const readKey = await tokenWith(['routes:read']);
    for (const proof of [route.secret, token, readKey]) {
      const response = await open(urlAt(1), proof);
      assert.equal(response.status, 200);
      assert.equal(await response.text(), 'a;b\r\n1;2');
      assert.equal(response.headers.get('content-type'), 'application/octet-stream');
      assert.equal(response.headers.get('content-disposition'), 'attachment; filename="_r=C3=A9.csv"');
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
      assert.match(response.headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'/);
      assert.equal(response.headers.get('cache-control'), 'private, no-store');
    }
    const raw = await open(message.data.raw.url, route.secret);
    const text = await raw.text();
    assert.equal(text, `X-Posthorn-Loop: ${route.id}\r\n${REPLY.replaceAll('\n', '\r\n')}`);
    assert.equal(message.data.raw.size, Buffer.byteLength(text));
  });

  test('opens nothing alone, or with a secret or a key of another route or project', async () => {
    const other = await newFetched();
    const unable = await tokenWith(['emails:read']);
    const foreign = await tokenWith(null, api.other.id);
    for (const proof of [null, 'x', 'whsec_x', other.secret, unable, foreign])
      assert.equal((await open(urlAt(0), proof)).status, 401, String(proof));
  });

  test('opens nothing after a change, or after it has expired', async () => {
    const changed = [
      urlAt(0).replace('attachments/2', 'attachments/9'),
      urlAt(0).replace(/expires=\d+/, 'expires=9999999999'),
      urlAt(0).replace(/expires=\d+/, 'expires=1000000000'),
      urlAt(0).replace(/signature=../, 'signature=AA'),
      urlAt(0).replace(/\?.*/, ''),
      urlAt(0).replace(message.id, `rm_${'0'.repeat(26)}`),
    ];
    for (const url of changed) assert.equal((await open(url, route.secret)).status, 404, url);
  });

  test('opens with the previous secret during a rotation', async () => {
    const { database, sealer } = api.core;
    const before = route.secret;
    const next = await newFetched();
    await sql`update routes set previous_secret_sealed = secret_sealed, previous_secret_until = now() + interval '1 hour',
      secret_sealed = ${sealRouteSecret(sealer, route.routeId, next.secret)} where id = ${route.routeId}`.execute(
      database,
    );
    for (const proof of [before, next.secret]) assert.equal((await open(urlAt(0), proof)).status, 200);
    await sql`update routes set previous_secret_until = now() - interval '1 second' where id = ${route.routeId}`.execute(
      database,
    );
    assert.equal((await open(urlAt(0), before)).status, 401);
    assert.equal((await open(urlAt(0), next.secret)).status, 200);
  });
});
