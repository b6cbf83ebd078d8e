import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newDomain } from '../../../../../test/support/projects.ts';
import { showProcess } from '../../../../../test/support/process-rows.ts';
import { verifyPassword } from '../../../../accounts/passwords/verify-password.ts';
import type { DashboardAliasList } from '../../../../contract/dashboard/aliases.ts';
import type { MailboxFiling, MailboxRule } from '../../../../contract/mailbox-filing.ts';
import type {
  AppPassword,
  CreatedAppPassword,
  DashboardMailbox,
  DashboardMailboxPage,
  MailboxSignIns,
} from '../../../../contract/dashboard/mailboxes.ts';
import type { CreatedMailbox } from '../../../../contract/mailboxes.ts';
import { verifyManually } from '../../../../domains/verify-manually.ts';
import { decodeId, encodeId, newUuid } from '../../../../model/ids.ts';
import { type TestDashboard, startDashboard } from '../dashboard.fixture.ts';

let dashboard: TestDashboard;
let domainId: string;
let names = 0;
before(async () => {
  dashboard = await startDashboard();
  domainId = encodeId('dom', await newDomain(dashboard.db.database, dashboard.project.id, 'shop.example'));
});
after(() => dashboard[Symbol.asyncDispose]());

const at = (path = '') => `/projects/${dashboard.projectId}/mailboxes${path}`;
const admin = () => dashboard.as('admin');

async function create(fields: object = {}): Promise<CreatedMailbox> {
  const { status, body, text } = await dashboard
    .as('developer')
    .post<CreatedMailbox>(at(), { domain_id: domainId, local_part: `m${++names}`, ...fields });
  assert.equal(status, 201, text);
  return body;
}

const get = async ({ id }: { id: string }) =>
  (await dashboard.as('viewer').get<DashboardMailbox>(at(`/${id}`))).body;
const keyOf = ({ id }: { id: string }) => ({
  projectId: dashboard.project.id,
  mailboxId: decodeId('mbx', id) as string,
});

test('the list of mailboxes is paged in order of address, and can be searched by address and name', async () => {
  const tag = newUuid().slice(-6);
  for (const local of ['cy', 'al', 'bo']) await create({ local_part: `${local}-${tag}` });
  await create({ local_part: `x${names}`, display_name: `100% ${tag}_` });
  const list = async (query: string) =>
    (await dashboard.as('viewer').get<DashboardMailboxPage>(at(`?${query}`))).body;
  const localParts = ({ data }: DashboardMailboxPage) => data.map(({ address }) => address.split('@')[0]);
  const first = await list(`q=-${tag.toUpperCase()}&limit=2`);
  assert.deepEqual(localParts(first), [`al-${tag}`, `bo-${tag}`]);
  const second = await list(`q=-${tag}&limit=2&cursor=${first.next_cursor}`);
  assert.deepEqual([localParts(second), second.next_cursor], [[`cy-${tag}`], null]);
  assert.equal((await list(`q=${encodeURIComponent(`% ${tag}_`)}`)).data.length, 1);
  assert.equal((await list(`q=${encodeURIComponent(`${tag}%`)}`)).data.length, 0);
  assert.equal((await dashboard.as('viewer').get(at('?cursor=x'))).status, 422);
});

test('one request can change all settings of a mailbox, and writes one audit log entry', async () => {
  const mailbox = await create();
  const settings = {
    display_name: 'Sales',
    quota_mb: 5,
    daily_send_limit: 9,
    spam_level: 'low',
    is_catch_all: true,
    reply_to: 'desk@shop.example',
    signature_html: '<p>Ann</p>',
    empty_folders: false,
    save_sent: true,
  };
  const { status, body } = await admin().patch<DashboardMailbox>(at(`/${mailbox.id}`), settings);
  assert.equal(status, 200);
  assert.deepEqual(
    Object.fromEntries(Object.keys(settings).map((name) => [name, Reflect.get(body, name)])),
    settings,
  );
  const log = await dashboard.db.database
    .selectFrom('auditLog')
    .select(['action', 'actorName', 'after'])
    .where('target', '=', mailbox.id)
    .where('action', '=', 'mailbox.update')
    .execute();
  assert.equal(log.length, 1);
  assert.deepEqual(log[0]?.after, settings);
  assert.equal((await get(mailbox)).project_spam_level, 'medium');
});

test('a new password replaces the previous password, and a generated password is shown once', async () => {
  const mailbox = await create({ password: 'the first password' });
  const hash = async () =>
    (
      await dashboard.db.database
        .selectFrom('mailboxes')
        .select('passwordHash')
        .where('id', '=', keyOf(mailbox).mailboxId)
        .executeTakeFirstOrThrow()
    ).passwordHash;
  const put = (body: object) =>
    admin().request<{ password: string | null }>('PUT', at(`/${mailbox.id}/password`), { body });
  assert.deepEqual((await put({ password: 'the second password' })).body, { password: null });
  assert.ok(verifyPassword('the second password', await hash()));
  const { body } = await put({});
  assert.ok(verifyPassword(body.password ?? '', await hash()));
  assert.equal((await put({ password: 'short' })).status, 422);
});

test('app passwords can be created, listed without their secrets, and revoked', async () => {
  const mailbox = await create();
  const path = at(`/${mailbox.id}/app-passwords`);
  const { body } = await admin().post<CreatedAppPassword>(path, { name: 'phone', access: 'read' });
  assert.match(body.password, /^(?:[0-9a-z]{4}-){6}[0-9a-z]{4}$/);
  const list = async () => (await dashboard.as('developer').get<{ data: AppPassword[] }>(path)).body.data;
  const [listed] = await list();
  assert.deepEqual([listed?.name, listed?.access, listed?.last_used_at], ['phone', 'read', null]);
  assert.equal((await admin().delete(`${path}/${body.id}`)).status, 204);
  assert.deepEqual(await list(), []);
  assert.equal((await admin().delete(`${path}/${body.id}`)).status, 404);
});

test('a mailbox locked for sending shows the reason, and an admin can unlock it', async () => {
  const mailbox = await create();
  await dashboard.db.database
    .insertInto('sendingLocks')
    .values({ ...keyOf(mailbox), lockedAt: new Date(), reason: 'refused', countsFrom: new Date() })
    .execute();
  assert.equal((await get(mailbox)).sending_lock?.reason, 'refused');
  const unlock = () => admin().post(at(`/${mailbox.id}/unlock`));
  assert.deepEqual((await unlock()).body, { was_locked_for_sending: true });
  assert.equal((await get(mailbox)).sending_lock, null);
  assert.deepEqual((await unlock()).body, { was_locked_for_sending: false });
});

test('an admin can remove the second factor of a mailbox', async () => {
  const mailbox = await create();
  const remove = () => admin().delete(at(`/${mailbox.id}/second-factor`));
  assert.equal((await remove()).status, 404);
  await dashboard.db.database
    .updateTable('mailboxes')
    .set({ secondFactorSince: new Date() })
    .where('id', '=', keyOf(mailbox).mailboxId)
    .execute();
  assert.ok((await get(mailbox)).second_factor_since !== null);
  assert.equal((await remove()).status, 204);
  assert.equal((await get(mailbox)).second_factor_since, null);
});

test('mail app sessions of running processes are listed by app, together with the last sign-ins', async () => {
  const mailbox = await create();
  const { database } = dashboard.db;
  const [alive, gone] = [await showProcess(database, { role: 'imap' }), newUuid()];
  const opening = { ...keyOf(mailbox), door: 'imap', address: '192.0.2.7', appPasswordId: null } as const;
  for (const processId of [alive, alive, gone])
    await database
      .insertInto('mailboxSessions')
      .values({ ...opening, processId, id: newUuid(), openedAt: new Date() })
      .execute();
  await database
    .insertInto('mailboxSignIns')
    .values({ ...opening, appPasswordId: newUuid(), door: 'pop3', signedInAt: new Date() })
    .execute();
  const { body } = await admin().get<MailboxSignIns>(at(`/${mailbox.id}/sign-ins`));
  assert.deepEqual(
    body.sessions.map(({ door, address, app_password, connections }) => [
      door,
      address,
      app_password,
      connections,
    ]),
    [['imap', '192.0.2.7', null, 2]],
  );
  assert.deepEqual(
    body.sign_ins.map(({ door, app_password }) => [door, app_password]),
    [['pop3', '']],
  );
  assert.ok((await get(mailbox)).last_signed_in_at !== null);
});

test('rules, blocked senders, vacation and forwarding use the syntax of the command line', async () => {
  const mailbox = await create();
  const desk = await newDomain(dashboard.db.database, dashboard.project.id, 'desk.example');
  await verifyManually(dashboard.db.database, dashboard.project.id, 'desk.example');
  const other = await create({ domain_id: encodeId('dom', desk) });
  const path = at(`/${mailbox.id}`);
  const read = async () => (await dashboard.as('developer').get<MailboxFiling>(`${path}/filing`)).body;
  const rule = async (name: string, fields: object = {}) => {
    const words = { match: 'any', conditions: ['from contains @shop.example'], actions: ['file Invoices'] };
    const answer = await admin().post<MailboxRule>(`${path}/rules`, { name, ...words, ...fields });
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  const first = await rule('first');
  const second = await rule('second', { position: 1, actions: [`forward ${other.address}`, 'mark read'] });
  assert.deepEqual(
    (await read()).rules.map(({ name, position, match }) => [name, position, match]),
    [
      ['second', 1, 'any'],
      ['first', 2, 'any'],
    ],
  );
  const change = { enabled: false, position: 1 };
  assert.equal((await admin().patch(`${path}/rules/${first.id}`, change)).status, 204);
  assert.equal((await admin().delete(`${path}/rules/${second.id}`)).status, 204);
  assert.deepEqual(
    (await read()).rules.map(({ name, enabled, actions }) => [name, enabled, actions]),
    [['first', false, ['file Invoices']]],
  );
  const vacation = {
    subject: null,
    text: 'Away',
    html: null,
    from: null,
    until: '2030-01-04T00:00:00.000Z',
    days: 3,
  };
  const forwarding = { to: other.address, keep: false };
  assert.equal((await admin().request('PUT', `${path}/vacation`, { body: vacation })).status, 204);
  assert.equal((await admin().request('PUT', `${path}/forwarding`, { body: forwarding })).status, 204);
  assert.equal((await admin().post(`${path}/blocked`, { sender: 'Spam.example' })).status, 204);
  assert.equal((await admin().post(`${path}/safe`, { sender: 'Friends.example' })).status, 204);
  const { blocked, safe, ...rest } = await read();
  assert.deepEqual(
    [rest.vacation, rest.forwarding, blocked[0]?.sender, safe[0]?.sender],
    [vacation, forwarding, 'spam.example', 'friends.example'],
  );
  for (const end of [
    '/vacation',
    '/forwarding',
    '/blocked?sender=spam.example',
    '/safe?sender=friends.example',
  ])
    assert.equal((await admin().delete(path + end)).status, 204);
  const ended = await read();
  assert.deepEqual([ended.vacation, ended.forwarding, ended.blocked, ended.safe], [null, null, [], []]);
});

test('invalid mailbox settings are rejected with field errors', async () => {
  const mailbox = await create();
  const path = at(`/${mailbox.id}`);
  const words = { name: 'a rule', match: 'all', conditions: ['subject is x'], actions: ['stop'] };
  const fields = async (method: string, where: string, body: object) => {
    const answer = await admin().request<{ errors: object }>(method, path + where, { body });
    assert.equal(answer.status, 422, answer.text);
    return Object.keys(answer.body.errors);
  };
  assert.deepEqual(await fields('POST', '/rules', { ...words, conditions: ['subject'] }), ['conditions']);
  assert.deepEqual(await fields('POST', '/rules', { ...words, actions: ['dance'] }), ['actions']);
  const elsewhere = 'anna@elsewhere.example';
  assert.deepEqual(await fields('POST', '/rules', { ...words, actions: [`forward ${elsewhere}`] }), [
    'actions',
  ]);
  assert.deepEqual(await fields('PUT', '/forwarding', { to: elsewhere, keep: true }), ['to']);
  assert.deepEqual(await fields('PUT', '/forwarding', { to: mailbox.address, keep: true }), ['to']);
  assert.deepEqual(await fields('POST', '/blocked', { sender: 'a b' }), ['sender']);
});

test('every operation reports a mailbox of another project as unknown', async () => {
  const id = (await create()).id;
  const foreign = `/projects/${dashboard.foreignProjectId}/mailboxes/${id}`;
  const vacation = { subject: null, text: 'x', html: null, from: null, until: null, days: 7 };
  const words = {
    name: 'x',
    match: 'all',
    conditions: ['subject is x'],
    actions: ['forward a@shop.example'],
  };
  const part = encodeId('rule', newUuid());
  for (const [method, path, body] of [
    ['GET', ''],
    ['PATCH', '', { display_name: 'x' }],
    ['DELETE', ''],
    ['PUT', '/password', {}],
    ['DELETE', '/second-factor'],
    ['POST', '/unlock'],
    ['GET', '/app-passwords'],
    ['POST', '/app-passwords', { name: 'x', access: 'read' }],
    ['DELETE', `/app-passwords/${encodeId('app', newUuid())}`],
    ['GET', '/sign-ins'],
    ['DELETE', '/sessions'],
    ['GET', '/filing'],
    ['POST', '/rules', words],
    ['PATCH', `/rules/${part}`, { enabled: true }],
    ['DELETE', `/rules/${part}`],
    ['POST', '/blocked', { sender: 'x.example' }],
    ['DELETE', '/blocked?sender=x.example'],
    ['GET', '/safe'],
    ['POST', '/safe', { sender: 'x.example' }],
    ['DELETE', '/safe?sender=x.example'],
    ['PUT', '/vacation', vacation],
    ['DELETE', '/vacation'],
    ['PUT', '/forwarding', { to: 'a@shop.example', keep: true }],
    ['DELETE', '/forwarding'],
  ] as const) {
    const { status } = await dashboard.as('other').request(method, foreign + path, { body });
    assert.equal(status, 404, `${method} ${path}`);
  }
});

test('an alias is listed with its targets, and a mailbox lists the aliases that would be deleted with it', async () => {
  const [ann, ben] = [await create(), await create()];
  const aliases = `/projects/${dashboard.projectId}/aliases`;
  const make = async (local_part: string, ids: string[]) =>
    (await admin().post<{ id: string }>(aliases, { domain_id: domainId, local_part, mailbox_ids: ids })).body
      .id;
  const shared = await make('team', [ann.id, ben.id]);
  await make('ann-alone', [ann.id]);
  const { data } = (await dashboard.as('viewer').get<DashboardAliasList>(aliases)).body;
  assert.deepEqual(
    data.map(({ address, mailboxes }) => [address, mailboxes.map((mailbox) => mailbox.address)]),
    [
      ['ann-alone@shop.example', [ann.address]],
      ['team@shop.example', [ann.address, ben.address]],
    ],
  );
  const shown = await get(ann);
  assert.deepEqual([shown.aliases.length, shown.only_mailbox_of], [2, 1]);
  await admin().patch(`${aliases}/${shared}`, { mailbox_ids: [ben.id] });
  assert.equal((await admin().delete(at(`/${ann.id}`))).status, 204);
  assert.equal((await admin().delete(`${aliases}/${shared}`)).status, 204);
  assert.deepEqual((await admin().get<DashboardAliasList>(aliases)).body.data, []);
});
