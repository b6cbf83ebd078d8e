import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { sealedDatabase } from '../../test/support/postgres.ts';
import { isSigned, isStandardSigned, startWebhookReceiver } from '../../test/support/webhook-receiver.ts';
import type { CreateAlert } from '../contract/dashboard/alerts.ts';
import type { Health } from '../contract/dashboard/health.ts';
import { decodeId, newUuid } from '../model/ids.ts';
import type { Role } from '../model/roles.ts';
import { FairReads } from '../db/fair-reads.ts';
import { SendingHealth } from '../insights/health/sending-health.ts';
import { snooze } from '../insights/overview/snoozes.ts';
import { GuardedClient } from '../net/guarded-client.ts';
import { AlertWatch } from './alert-watch.ts';
import { Alerts } from './alerts.ts';
import type { AlertChannels } from './channel.ts';
import type { Subscriber } from './check-subscriptions.ts';
import { claimMessages } from './claim-messages.ts';
import { newMember as memberOf, SETTINGS } from './members.fixture.ts';
import { MessageSender } from './message-sender.ts';
import { slackChannel } from './slack.ts';
import { webhookChannel } from './webhook.ts';

const db = await sealedDatabase();
const { database, sealer } = db;
const client = new GuardedClient({ allowLoopback: true, maxConnectionsPerOrigin: 5 });
const channels: AlertChannels = { slack: slackChannel(client), webhook: webhookChannel(client) };
const baseUrl = () => 'https://mail.acme.example';
const alerts = new Alerts({ database, sealer, environment: 'development', channels, baseUrl });
const silent = { error() {} } as never;
beforeEach(() => database.deleteFrom('alertSubscriptions').execute());
after(async () => {
  await client[Symbol.asyncDispose]();
  await db[Symbol.asyncDispose]();
});

const WELL: Health = { state: 'normal', since: null, waiting: { emails: 0, is_more: false }, causes: [] };
const STOPPED: Health = { ...WELL, state: 'stopped', since: '2026-01-01T00:00:00.000Z' };
const UNKNOWN: Health = { ...WELL, state: 'unknown' };

/** Runs one check of a process, as if a minute had passed since the last one. */
async function check(project: Health, installation: Health = WELL): Promise<void> {
  await database.deleteFrom('alertChecks').execute();
  await newWatch(judged(project, installation)).scan();
}

/** The verdicts of a process. */
function judged(
  project: Health,
  installation: Health = WELL,
): Pick<SendingHealth, 'read' | 'readInstallation'> {
  return {
    read: async () => project,
    readInstallation: async () => ({ health: installation, concerns: [] }),
  };
}

function newWatch(health: Pick<SendingHealth, 'read' | 'readInstallation'>): AlertWatch {
  return new AlertWatch({
    database,
    health,
    trustsManualVerification: false,
    keepDays: null,
    host: 'one.example',
    logger: silent,
    timings: { checkMs: 60_000, settleMs: 0, rest: 0 },
  });
}

const newSender = (offered = channels) =>
  new MessageSender({ database, sealer, channels: offered, baseUrl, logger: silent });

const newMember = (role?: Role) => memberOf(database, role);

const typesOf = async ({ userId }: Pick<Subscriber, 'userId'>) => {
  const rows = await database
    .selectFrom('alertMessages as m')
    .innerJoin('alertSubscriptions as s', 's.id', 'm.subscriptionId')
    .select('type')
    .where('s.userId', '=', userId)
    .orderBy('m.id')
    .execute();
  return rows.map(({ type }) => type);
};

test('a stop is sent to Slack and to a signed webhook once, and its end as well', async () => {
  await using receiver = await startWebhookReceiver();
  const member = await newMember();
  await alerts.create(member, { ...SETTINGS, url: `${receiver.url}/slack` });
  const { secret } = await alerts.create(member, {
    ...SETTINGS,
    channel: 'webhook',
    url: `${receiver.url}/signed`,
  });
  for (const health of [STOPPED, STOPPED, UNKNOWN, STOPPED, WELL, WELL]) {
    await check(health);
    await newSender().send();
  }
  const bodies = (path: string) =>
    receiver.received.filter((post) => post.path.endsWith(path)).map(({ body }) => JSON.parse(body));
  assert.deepEqual(
    bodies('slack').map(({ text }) => String(text).split('\n')[1]),
    [
      ':red_circle: No emails are being sent. Nothing is waiting.',
      ':white_check_mark: Resolved: No emails are being sent. Nothing is waiting.',
    ],
  );
  assert.deepEqual(
    bodies('signed').map(({ type }) => type),
    ['alert.opened', 'alert.resolved'],
  );
  for (const post of receiver.received.filter(({ path }) => path.endsWith('signed')))
    assert.ok(isSigned(post, secret ?? '') && isStandardSigned(post, secret ?? ''));
});

test('two processes that check and send at once send each message once', async () => {
  await using receiver = await startWebhookReceiver();
  const member = await newMember();
  await alerts.create(member, { ...SETTINGS, url: receiver.url });
  await database.deleteFrom('alertChecks').execute();
  const watches = [1, 2, 3].map(() => newWatch(judged(STOPPED)));
  await Promise.all(watches.map((watch) => watch.scan()));
  await Promise.all(watches.map((watch) => watch.scan()));
  await Promise.all([newSender().send(), newSender().send()]);
  assert.equal(receiver.received.length, 1);
});

const ENDS: Readonly<Record<string, (member: Subscriber & { projectId: string }) => Promise<unknown>>> = {
  'the membership ends': ({ userId }) =>
    database.deleteFrom('memberships').where('userId', '=', userId).execute(),
  'the project is hidden from the member': ({ userId, projectId }) =>
    sql`
      insert into project_roles (organization_id, user_id, project_id, role)
      select organization_id, ${userId}, id, 'none' from projects where id = ${projectId}`.execute(database),
  'the user is deleted': ({ userId }) => database.deleteFrom('users').where('id', '=', userId).execute(),
};

for (const [event, happen] of Object.entries(ENDS))
  test(`no message is sent after ${event}, not even one that was already stored`, async () => {
    await using receiver = await startWebhookReceiver();
    const member = await newMember();
    const alert = await alerts.create(member, { ...SETTINGS, url: receiver.url });
    await check(STOPPED);
    await happen(member);
    await newSender().send();
    assert.equal(receiver.received.length, 0);
    assert.equal(await alerts.test(member, decodeId('alr', alert.id) ?? '').catch(() => null), null);
    await check(STOPPED);
    assert.deepEqual((await alerts.list(member)).data, []);
  });

test('an operator who loses the right gets no more messages about the installation', async () => {
  await using receiver = await startWebhookReceiver();
  const { userId } = await newMember();
  const setOperator = (isOperator: boolean) =>
    database.updateTable('users').set({ isOperator }).where('id', '=', userId).execute();
  await setOperator(true);
  await alerts.create({ userId, projectId: null }, { ...SETTINGS, url: receiver.url });
  const noWorker: Health = { ...STOPPED, causes: [{ kind: 'workers', text: 'No worker is running.' }] };
  await check(WELL, noWorker);
  await newSender().send();
  assert.match(receiver.received[0]?.body ?? '', /No worker is running/);
  await check(WELL, WELL);
  await setOperator(false);
  await newSender().send();
  assert.equal(receiver.received.length, 1);
});

test('the check reports that no worker is running, although its first read cannot tell', async () => {
  const { userId } = await newMember();
  await database.updateTable('users').set({ isOperator: true }).where('id', '=', userId).execute();
  await alerts.create({ userId, projectId: null }, { ...SETTINGS, url: 'https://hooks.acme.example/' });
  let nowMs = 0;
  const health = new SendingHealth({
    reads: new FairReads(database, 2),
    presence: null,
    concerns: async () => [{ kind: 'disk', text: 'Only 3 % of the disk of one.example is free.' }],
    // Each read of the clock is four seconds later.
    nowMs: () => (nowMs += 4_000),
  });
  for (const _ of [1, 2]) {
    await database.deleteFrom('alertChecks').execute();
    await newWatch(health).scan();
    await sql`update alert_problems set opened_at = now() - interval '1 minute'`.execute(database);
  }
  const { rows } = await sql<{ content: { problems: { text: string }[] } }>`
    select content from alert_messages m join alert_subscriptions s on s.id = m.subscription_id
    where s.user_id = ${userId}`.execute(database);
  assert.deepEqual(
    rows.flatMap(({ content }) => content.problems.map(({ text }) => text)),
    ['No worker is running.', 'Only 3 % of the disk of one.example is free.'],
  );
});

test('the problems of a project are read once a minute for all its subscribers', async () => {
  const member = await newMember();
  const others = [await newMember(), await newMember()].map(({ userId }) => ({ ...member, userId }));
  await sql`
    update memberships set organization_id = (select organization_id from projects where id = ${member.projectId})
    where user_id in (${sql.join(others.map(({ userId }) => userId))})`.execute(database);
  for (const each of [member, ...others])
    await alerts.create(each, { ...SETTINGS, url: 'https://hooks.acme.example/' });
  const read: string[] = [];
  await database.deleteFrom('alertChecks').execute();
  await newWatch({
    ...judged(STOPPED),
    read: async (projectId) => {
      read.push(projectId);
      return STOPPED;
    },
  }).scan();
  assert.deepEqual(read, [member.projectId]);
  for (const each of [member, ...others]) assert.deepEqual(await typesOf(each), ['alert.opened']);
});

test('the problems of a machine that is gone are forgotten after a day', async () => {
  const { userId } = await newMember();
  await database.updateTable('users').set({ isOperator: true }).where('id', '=', userId).execute();
  const url = 'https://hooks.acme.example/';
  await alerts.create({ userId, projectId: null }, { ...SETTINGS, url });
  // Projects are checked only if there is an alert for one.
  await alerts.create(await newMember(), { ...SETTINGS, url });
  await sql`
    insert into alert_problems (subscription_id, key, problem, level, is_snoozed, opened_at, reported_level)
    select id, key, json_build_object('kind', split_part(key, ' ', 1), 'severity', 2), 0, false, now(), 0
    from alert_subscriptions, unnest(array['disk old.example', 'certificate old.example of a.example', 'disk new.example']) key
    where user_id = ${userId}`.execute(database);
  await database.deleteFrom('alertChecks').execute();
  await sql`
    insert into alert_checks values
      ('host old.example', now() - interval '25 hours'), ('host new.example', now() - interval '1 hour')`.execute(
    database,
  );
  await newWatch(judged(WELL)).scan();
  const { rows } = await sql<{ key: string }>`
    select key from alert_problems p join alert_subscriptions s on s.id = p.subscription_id
    where s.user_id = ${userId}`.execute(database);
  assert.deepEqual(rows, [{ key: 'disk new.example' }]);
  assert.deepEqual(await typesOf({ userId }), []);
});

test('a message whose sender was killed is sent again with the same id, and in order', async () => {
  await using receiver = await startWebhookReceiver();
  const member = await newMember();
  await alerts.create(member, { ...SETTINGS, channel: 'webhook', url: receiver.url });
  await check(STOPPED);
  const [killed] = await claimMessages(database, ['webhook'], 5);
  await check(WELL);
  await newSender().send();
  assert.equal(
    receiver.received.length,
    0,
    'the claim is not over, and the second message waits for the first',
  );
  await sql`update alert_messages set claimed_until = now() where id = ${killed?.id}`.execute(database);
  await newSender().send();
  await newSender().send();
  const [first, second] = receiver.received.map(({ body }) => JSON.parse(body));
  assert.deepEqual([decodeId('evt', first.id), first.type], [killed?.id, 'alert.opened']);
  assert.equal(second.type, 'alert.resolved');
});

test('a failure is shown, retried, and disables the alert after five days', async () => {
  await using receiver = await startWebhookReceiver({ answer: { status: 404 } });
  const member = await newMember();
  await alerts.create(member, { ...SETTINGS, url: receiver.url });
  const shown = async () => (await alerts.list(member)).data[0];
  await check(STOPPED);
  await newSender().send();
  assert.equal((await shown())?.last_error, 'the response had the status 404');
  assert.notEqual((await shown())?.failing_since, null);
  await newSender().send();
  assert.equal(receiver.received.length, 1, 'the retry is due later');
  await sql`update alert_messages set next_attempt_at = now()`.execute(database);
  await sql`
    update alert_subscriptions set failing_since = now() - interval '6 days' where user_id = ${member.userId}`.execute(
    database,
  );
  await newSender().send();
  assert.deepEqual([(await shown())?.enabled, (await shown())?.disabled_reason], [false, 'failing']);
  const { id = '' } = (await shown()) ?? {};
  receiver.answerWith({ status: 200 });
  const { quiet_hours, time_zone, urgent_always } = SETTINGS;
  const settings = { kinds: [], quiet_hours, time_zone, urgent_always };
  await alerts.update(member, decodeId('alr', id) ?? '', { ...settings, enabled: true });
  await sql`update alert_messages set next_attempt_at = now()`.execute(database);
  await newSender().send();
  assert.deepEqual(
    [(await shown())?.failing_since, (await shown())?.last_error, receiver.received.length],
    [null, null, 3],
  );
});

test('private addresses are rejected when the URL is saved and when it is dialed', async () => {
  await using strict = new GuardedClient({ allowLoopback: false, maxConnectionsPerOrigin: 1 });
  const offered = { slack: slackChannel(strict), webhook: webhookChannel(strict) };
  const inProduction = new Alerts({
    database,
    sealer,
    environment: 'production',
    channels: offered,
    baseUrl,
  });
  const member = await newMember();
  for (const url of [
    'http://hooks.example/x',
    'https://127.0.0.1/x',
    'https://[::1]/x',
    'https://localhost/x',
    'https://10.0.0.8/x',
    'https://user:secret@hooks.example/',
    'file:///etc/passwd',
  ])
    await assert.rejects(
      inProduction.create(member, { ...SETTINGS, url }),
      { code: 'validation-failed' },
      url,
    );
  // A name that resolves to a private address passes the first check, so the connection checks again.
  const { id } = await alerts.create(member, { ...SETTINGS, url: 'https://127.0.0.1/x' });
  const result = await inProduction.test(member, decodeId('alr', id) ?? '');
  assert.deepEqual(result, {
    is_delivered: false,
    http_status: null,
    error: 'the address is not public',
  });
});

test('the URL and the secret are stored sealed, and no list shows them', async () => {
  const member = await newMember();
  const url = 'https://hooks.slack.example/services/T0/B0/token';
  const { secret } = await alerts.create(member, { ...SETTINGS, channel: 'webhook', url });
  const { rows } = await sql<{ all: string }>`
    select (select string_agg(s::text, ' ') from alert_subscriptions s where user_id = ${member.userId})
      || (select string_agg(l::text, ' ') from audit_log l where project_id = ${member.projectId}) as all`.execute(
    database,
  );
  const shown = JSON.stringify(await alerts.list(member));
  for (const text of [rows[0]?.all ?? '', shown])
    for (const hidden of ['token', secret ?? '']) assert.ok(!text.includes(hidden), hidden);
  assert.match(rows[0]?.all ?? '', /alert\.create/);
  assert.equal((await alerts.list(member)).data[0]?.host, 'hooks.slack.example');
});

test('in quiet hours only a stop of all mail is sent, if the user wants that', async () => {
  const now = new Date();
  const at = (hours: number) => new Date(now.getTime() + hours * 3_600_000).toISOString().slice(11, 16);
  const quiet_hours = { from: at(-1), until: at(1) };
  const [asleep, urgent] = [await newMember(), await newMember()];
  const url = 'https://hooks.acme.example/';
  await alerts.create(asleep, { ...SETTINGS, url, quiet_hours });
  await alerts.create(urgent, { ...SETTINGS, url, quiet_hours, urgent_always: true });
  await check(STOPPED);
  assert.deepEqual(await typesOf(asleep), []);
  assert.deepEqual(await typesOf(urgent), ['alert.opened']);
  await sql`update alert_subscriptions set quiet_from = null, quiet_until = null`.execute(database);
  await check(STOPPED);
  assert.deepEqual(await typesOf(asleep), ['alert.opened']);
});

test('after twenty messages in an hour, further problems wait', async () => {
  const member = await newMember();
  await alerts.create(member, { ...SETTINGS, url: 'https://hooks.acme.example/' });
  for (let at = 0; at < 15; at++) {
    await check(STOPPED);
    await check(WELL);
    // An hour after each end.
    await sql`update alert_problems set resolved_at = now() - interval '1 hour'`.execute(database);
  }
  assert.equal((await typesOf(member)).length, 20);
});

test('a snoozed problem, and a kind that the user did not choose, are not reported', async () => {
  const member = await newMember();
  const url = 'https://hooks.acme.example/';
  await alerts.create(member, { ...SETTINGS, url, kinds: [] });
  const expiresAt = new Date(Date.now() + 86_400_000);
  const keyId = newUuid();
  await database
    .insertInto('apiKeys')
    .values({
      projectId: member.projectId,
      id: keyId,
      name: 'CI',
      tokenSha256: Buffer.from(keyId),
      scopes: null,
      createdAt: new Date(),
      expiresAt,
    })
    .execute();
  await check(WELL);
  const { rows } = await sql<{ key: string }>`
    select key from alert_problems p join alert_subscriptions s on s.id = p.subscription_id
    where s.user_id = ${member.userId}`.execute(database);
  const key = rows[0]?.key ?? '';
  assert.match(key, /^api-key/);
  await snooze(database, member, { key, level: 0, days: 1 });
  await sql`update alert_problems set opened_at = now() - interval '5 minutes'`.execute(database);
  await check(WELL);
  assert.deepEqual(await typesOf(member), []);
  await snooze(database, member, { key, level: 0, days: 0 });
  const { data } = await alerts.list(member);
  const { quiet_hours, time_zone, urgent_always } = SETTINGS;
  const update = (kinds: CreateAlert['kinds']) =>
    alerts.update(member, decodeId('alr', data[0]?.id ?? '') ?? '', {
      kinds,
      quiet_hours,
      time_zone,
      urgent_always,
      enabled: true,
    });
  await update(['plan']);
  await check(WELL);
  assert.deepEqual(await typesOf(member), []);
  await update([]);
  await check(WELL);
  await sql`update alert_problems set opened_at = now() - interval '5 minutes'`.execute(database);
  await check(WELL);
  assert.deepEqual(await typesOf(member), ['alert.opened']);
});

test("a user sees and changes only the user's own alerts, and at most ten for a project", async () => {
  const [ann, bo] = [await newMember(), await newMember()];
  const url = 'https://hooks.acme.example/';
  const { id } = await alerts.create(ann, { ...SETTINGS, url });
  const uuid = decodeId('alr', id) ?? '';
  for (const other of [bo, { ...ann, projectId: bo.projectId }, { ...ann, projectId: null }]) {
    assert.deepEqual((await alerts.list(other)).data, []);
    assert.equal(await alerts.remove(other, uuid), false);
    assert.equal(await alerts.test(other, uuid), null);
  }
  const more = await Promise.allSettled(
    Array.from({ length: 12 }, () => alerts.create(ann, { ...SETTINGS, url })),
  );
  assert.equal(more.filter(({ status }) => status === 'fulfilled').length, 9);
  assert.equal(await alerts.remove(ann, uuid), true);
});

test('a second test within five seconds is rejected', async () => {
  await using receiver = await startWebhookReceiver();
  const member = await newMember();
  const { id } = await alerts.create(member, { ...SETTINGS, url: receiver.url });
  const uuid = decodeId('alr', id) ?? '';
  assert.deepEqual(await alerts.test(member, uuid), { is_delivered: true, http_status: 200, error: null });
  await assert.rejects(alerts.test(member, uuid), { code: 'rate-limited' });
  assert.match(receiver.received[0]?.body ?? '', /this is a test/);
  assert.equal(receiver.received.length, 1);
});

for (const [field, value] of [
  ['time_zone', 'Europe/Nowhere'],
  ['quiet_hours', { from: '22:00', until: '22:00' }],
] as const)
  test(`an alert with an invalid ${field} is rejected`, async () => {
    const member = await newMember();
    await assert.rejects(
      alerts.create(member, { ...SETTINGS, url: 'https://hooks.acme.example/', [field]: value }),
      { code: 'validation-failed' },
    );
  });
