import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { startMailClient, type TestMailClient, type TestOwner } from '../mail-client.fixture.ts';

interface Rule {
  id: string;
  position: number;
  name: string;
  enabled: boolean;
}

let mail: TestMailClient;
let ann: TestOwner;
before(async () => {
  mail = await startMailClient();
  ann = await mail.newOwner('ann');
  await mail.newOwner('bob');
});
after(() => mail[Symbol.asyncDispose]());

const WORDS = {
  name: 'News',
  match: 'all',
  conditions: ['from contains @news.example'],
  actions: ['file News', 'mark read'],
};

test('rules can be added, changed, moved, turned off and removed, and each change is logged with the client address', async () => {
  const owner = await mail.newOwner('rules');
  const { status, body: first } = await owner.post<Rule>('/rules', WORDS);
  assert.equal(status, 201);
  const { body: second } = await owner.post<Rule>('/rules', { ...WORDS, name: 'Second', position: 1 });
  const changed = { ...WORDS, name: 'Mail of shops', conditions: ['list is shops.example'] };
  assert.deepEqual((await owner.put(`/rules/${first.id}`, changed)).body, {
    ...changed,
    id: first.id,
    position: 2,
    enabled: true,
  });
  assert.equal((await owner.patch(`/rules/${first.id}`, { position: 1, enabled: false })).status, 204);
  const list = async () =>
    (await owner.get<{ data: Rule[] }>('/rules')).body.data.map(({ id, enabled }) => [id, enabled]);
  assert.deepEqual(await list(), [
    [first.id, false],
    [second.id, true],
  ]);
  assert.equal((await owner.delete(`/rules/${second.id}`)).status, 204);
  assert.deepEqual(await list(), [[first.id, false]]);
  const { rows } = await sql<{ action: string; actorKind: string; actorName: string }>`
    select action, actor_kind, actor_name from audit_log where target = ${owner.mailbox} and actor_kind = 'mailbox' order by id`.execute(
    mail.db.database,
  );
  assert.deepEqual(
    rows.map(({ action, actorKind, actorName }) => [action, actorKind, actorName]),
    ['add-rule', 'add-rule', 'change-rule', 'enable-rule', 'move-rule', 'remove-rule'].map((verb) => [
      `mailbox.${verb}`,
      'mailbox',
      owner.address,
    ]),
  );
});

test('a vacation reply, forwarding, blocked and safe senders can be set and removed', async () => {
  const owner = await mail.newOwner('filing');
  const vacation = {
    subject: null,
    text: 'I am away.',
    html: null,
    days: 7,
    from: '2026-12-20T00:00:00.000Z',
    until: null,
  };
  assert.equal((await owner.put('/vacation', vacation)).status, 204);
  assert.deepEqual((await owner.get('/vacation')).body, { vacation });
  assert.equal((await owner.delete('/vacation')).status, 204);
  assert.deepEqual((await owner.get('/vacation')).body, { vacation: null });

  const forwarding = { to: 'bob@hosted.example', keep: true };
  assert.equal((await owner.put('/forwarding', forwarding)).status, 204);
  assert.deepEqual((await owner.get('/forwarding')).body, { forwarding, failing: [] });
  assert.equal((await owner.delete('/forwarding')).status, 204);
  assert.deepEqual((await owner.get('/forwarding')).body, { forwarding: null, failing: [] });

  for (const list of ['/blocked', '/safe']) {
    for (const sender of ['One@Shop.example', 'two.example'])
      assert.equal((await owner.post(list, { sender })).status, 204);
    assert.equal((await owner.delete(`${list}?sender=two.example`)).status, 204);
    assert.equal((await owner.delete(`${list}?sender=two.example`)).status, 404);
    const { data } = (await owner.get<{ data: { sender: string }[] }>(list)).body;
    assert.deepEqual(
      data.map(({ sender }) => sender),
      ['one@shop.example'],
    );
  }
});

test('settings have safe defaults, and changing one setting leaves the others unchanged', async () => {
  const owner = await mail.newOwner('settings');
  const atFirst = {
    remote_content: 'ask',
    newest_first: false,
    swipe_left: 'trash',
    swipe_right: 'archive',
    undo_seconds: 10,
  };
  assert.deepEqual((await owner.get('/settings')).body, atFirst);
  const change = { undo_seconds: 30, swipe_left: 'none' };
  assert.deepEqual((await owner.patch('/settings', change)).body, { ...atFirst, ...change });
  assert.deepEqual((await owner.patch('/settings', { newest_first: true })).body, {
    ...atFirst,
    ...change,
    newest_first: true,
  });
});

for (const [what, method, path, body, status, field] of [
  ['an invalid condition', 'POST', '/rules', { ...WORDS, conditions: ['body is x'] }, 422, 'conditions'],
  ['no action', 'POST', '/rules', { ...WORDS, actions: [] }, 422, 'actions'],
  [
    'a rule that forwards to the mailbox itself',
    'POST',
    '/rules',
    { ...WORDS, actions: ['forward ann@hosted.example'] },
    422,
    'actions',
  ],
  ['a name with a line break', 'POST', '/rules', { ...WORDS, name: 'a\nb' }, 422, 'rule'],
  ['an unknown field', 'POST', '/rules', { ...WORDS, mailbox: 'x' }, 422, 'mailbox'],
  ['an unknown rule', 'PUT', '/rules/rule_01KAGK5RB5G9N3D7J1T4E6M8QS', WORDS, 404, null],
  ['an invalid id', 'PATCH', '/rules/1', { enabled: true }, 404, null],
  [
    'an invalid position',
    'PATCH',
    '/rules/rule_01KAGK5RB5G9N3D7J1T4E6M8QS',
    { position: 0 },
    422,
    'position',
  ],
  [
    'no text',
    'PUT',
    '/vacation',
    { subject: null, text: ' ', html: null, from: null, until: null, days: 7 },
    422,
    'text',
  ],
  [
    'an end before the start',
    'PUT',
    '/vacation',
    {
      subject: null,
      text: 'x',
      html: null,
      from: '2026-12-20T00:00:00Z',
      until: '2026-12-19T00:00:00Z',
      days: 7,
    },
    422,
    'until',
  ],
  [
    'a subject with a line break',
    'PUT',
    '/vacation',
    { subject: 'a\r\nBcc: x', text: 'x', html: null, from: null, until: null, days: 7 },
    422,
    'subject',
  ],
  ['a target that is not an address', 'PUT', '/forwarding', { to: 'nobody', keep: true }, 422, 'to'],
  ['a target with a name', 'PUT', '/forwarding', { to: 'Bob <bob@hosted.example>', keep: true }, 422, 'to'],
  [
    'a target that is the mailbox itself',
    'PUT',
    '/forwarding',
    { to: 'ANN+x@hosted.example', keep: false },
    422,
    'to',
  ],
  ['an invalid sender', 'POST', '/blocked', { sender: 'a b' }, 422, 'sender'],
  ['an invalid safe sender', 'POST', '/safe', { sender: 'a b' }, 422, 'sender'],
  ['an unknown time for undoing', 'PATCH', '/settings', { undo_seconds: 600 }, 422, 'undo_seconds'],
  ['an unknown swipe action', 'PATCH', '/settings', { swipe_left: 'explode' }, 422, 'swipe_left'],
  ['the quota', 'PATCH', '/settings', { quota_mb: 100_000 }, 422, 'quota_mb'],
] as const)
  test(`${method} ${path} with ${what} returns ${status}`, async () => {
    const answer = await ann.request<{ errors?: Record<string, unknown> }>(method, path, { body });
    assert.equal(answer.status, status, answer.text);
    if (field !== null) assert.ok(field in (answer.body.errors ?? {}), answer.text);
  });
