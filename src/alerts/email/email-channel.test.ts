import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { HOSTED_DOMAIN } from '../../../test/support/core.ts';
import { newEmail } from '../../../test/support/emails.ts';
import { addHostedDomain } from '../../../test/support/hosted-domain.ts';
import { newProject } from '../../../test/support/projects.ts';
import { sealedDatabase } from '../../../test/support/postgres.ts';
import { createUser } from '../../accounts/users.ts';
import type { CreateAlert } from '../../contract/dashboard/alerts.ts';
import type { Health } from '../../contract/dashboard/health.ts';
import { DkimKeyring } from '../../domains/dkim-keyring.ts';
import { DAY_MS } from '../../model/day.ts';
import { newUuid, restartIds } from '../../model/ids.ts';
import { insertEmails } from '../../sending/accept/insert-emails.ts';
import type { OutboundMessage, Outcome, Provider } from '../../sending/deliver/provider.ts';
import { ServiceMail } from '../../sending/service-mail/service-mail.ts';
import { AlertWatch } from '../alert-watch.ts';
import { Alerts } from '../alerts.ts';
import type { Subscriber } from '../check-subscriptions.ts';
import { MessageSender } from '../message-sender.ts';
import { EmailChannel } from './email-channel.ts';
import { ImmediateMail } from './immediate-mail.ts';

const db = await sealedDatabase();
const { database, sealer } = db;
before(() => addHostedDomain(db));
after(() => db[Symbol.asyncDispose]());

const reply = (replyCode: number, text: string) => ({
  replyCode,
  enhancedCode: null,
  text,
  remoteMta: 'mx.test',
  tls: true,
  dialogue: null,
});
const ACCEPTED: Outcome = { outcome: 'accepted', reply: reply(250, 'ok'), providerMessageId: null };
const sent: OutboundMessage[] = [];
let outcome: Outcome = ACCEPTED;
beforeEach(() => {
  sent.length = 0;
  outcome = ACCEPTED;
});
const provider: Provider = {
  capacity: 10,
  isFinal: true,
  destinations: null,
  async send(message) {
    sent.push(message);
    return outcome;
  },
  close: async () => {},
};
const mail = new ImmediateMail({
  database,
  mail: new ServiceMail({ from: null, hostedDomain: HOSTED_DOMAIN, sealer, trustsManualVerification: false }),
  keyring: new DkimKeyring(database, sealer, HOSTED_DOMAIN),
  openProvider: async () => provider,
});
const channels = { email: new EmailChannel(mail) };
const baseUrl = () => 'https://mail.acme.example';
const alerts = new Alerts({ database, sealer, environment: 'development', channels, baseUrl });
const silent = { error() {} } as never;

const WELL: Health = { state: 'normal', since: null, waiting: { emails: 0, is_more: false }, causes: [] };
const STOPPED: Health = { ...WELL, state: 'stopped', since: '2026-01-01T00:00:00.000Z' };

async function check(health: Health, processes = 1): Promise<void> {
  await database.deleteFrom('alertChecks').execute();
  const watches = Array.from(
    { length: processes },
    () =>
      new AlertWatch({
        database,
        health: { read: async () => health, readInstallation: async () => ({ health: WELL, concerns: [] }) },
        trustsManualVerification: false,
        keepDays: null,
        host: 'one.example',
        logger: silent,
        timings: { checkMs: 60_000, settleMs: 0, rest: 0 },
      }),
  );
  await Promise.all(watches.map((watch) => watch.scan()));
}

const sendDue = () => new MessageSender({ database, sealer, channels, baseUrl, logger: silent }).send();

async function newMember(
  verifiesBy: 'mail' | null = null,
): Promise<Subscriber & { projectId: string; email: string }> {
  const projectId = await newProject(database);
  const email = `${newUuid()}@acme.example`;
  const user = { email, name: 'Ann', passwordHash: null, isOperator: false, verifiesBy };
  const userId = await database.transaction().execute((tx) => createUser(tx, user));
  await sql`
    insert into memberships (organization_id, user_id, role, created_at)
    select organization_id, ${userId}, 'owner', now() from projects where id = ${projectId}`.execute(
    database,
  );
  return { userId, projectId, email };
}

const EMAIL: CreateAlert = {
  channel: 'email',
  kinds: [],
  quiet_hours: null,
  time_zone: 'UTC',
  urgent_always: false,
  digest: false,
};

const subscriptionOf = ({ userId }: Pick<Subscriber, 'userId'>) =>
  database
    .selectFrom('alertSubscriptions')
    .selectAll()
    .where('userId', '=', userId)
    .executeTakeFirstOrThrow();
const subjectsTo = (email: string) =>
  sent.flatMap(({ rcptTo, data }) =>
    rcptTo === email ? (/^Subject: (.*)\r$/m.exec(data.toString('latin1'))?.[1] ?? '') : [],
  );

test('an alert is sent to the address of the account, and follows it when it changes', async () => {
  const { userId, projectId, email } = await newMember();
  await alerts.create({ userId, projectId }, EMAIL);
  await check(STOPPED);
  await sendDue();
  assert.match(subjectsTo(email)[0] ?? '', /: No emails are being sent\./);
  const changed = `new-${email}`;
  await database
    .updateTable('users')
    .set({ email: changed, emailKey: changed })
    .where('id', '=', userId)
    .execute();
  await check(WELL);
  await sendDue();
  assert.match(subjectsTo(changed)[0] ?? '', /^Resolved in /);
});

test('no alert is sent to an address that the user has not proved to own, not even if it was proved before', async () => {
  const unverified = await newMember('mail');
  const { userId, projectId } = unverified;
  await assert.rejects(alerts.create({ userId, projectId }, EMAIL), { code: 'validation-failed' });
  const member = await newMember();
  await alerts.create({ userId: member.userId, projectId: member.projectId }, EMAIL);
  await database.updateTable('users').set({ verifiesBy: 'mail' }).where('id', '=', member.userId).execute();
  await check(STOPPED);
  await sendDue();
  assert.deepEqual(subjectsTo(member.email), []);
  assert.match(
    (await subscriptionOf(member)).lastError ?? '',
    /^The address of your account is not verified\./,
  );
});

for (const [name, text, enabled, reason] of [
  ['an address that does not exist is disabled', '5.1.1 No such user', false, 'rejected'],
  ['an address whose server rejects one message stays enabled', '5.7.1 Rejected by policy', true, null],
] as const)
  test(`an alert to ${name}`, async () => {
    const member = await newMember();
    await alerts.create({ userId: member.userId, projectId: member.projectId }, EMAIL);
    outcome = { outcome: 'permanent', reply: { ...reply(550, text), enhancedCode: text.slice(0, 5) } };
    await check(STOPPED);
    await sendDue();
    const row = await subscriptionOf(member);
    assert.deepEqual([row.enabled, row.disabledReason], [enabled, reason]);
    assert.match(row.lastError ?? '', /^550 5\./);
  });

/** A member with a digest that is due, and a project with an email of the last week. */
async function withDigest(settings: Partial<CreateAlert> = {}) {
  const member = await newMember();
  const { userId, projectId } = member;
  await alerts.create({ userId, projectId }, { ...EMAIL, ...settings, digest: true });
  restartIds();
  await insertEmails(database, [newEmail({ projectId, emailId: newUuid(Date.now() - 8 * DAY_MS) })]);
  restartIds();
  await database
    .updateTable('alertSubscriptions')
    .set({ digestAt: new Date(0) })
    .where('userId', '=', userId)
    .execute();
  return member;
}

test('a digest that is due is stored once, even if several processes check, and the next one is planned', async () => {
  const member = await withDigest();
  await check(WELL, 3);
  await check(WELL, 3);
  await sendDue();
  assert.equal(subjectsTo(member.email).length, 1);
  const { digestAt } = await subscriptionOf(member);
  assert.ok(digestAt !== null && digestAt.getTime() > Date.now());
  assert.deepEqual([digestAt.getUTCDay(), digestAt.getUTCHours()], [1, 8]);
});

test('a digest that a killed process may have sent is sent again with the same Message-ID', async () => {
  const member = await withDigest();
  await check(WELL);
  await sendDue();
  // The state after the server accepted the message and before the outcome was stored.
  await sql`
    update alert_messages set sent_at = null, claimed_until = now() - interval '1 second'
    where subscription_id = ${(await subscriptionOf(member)).id}`.execute(database);
  await sendDue();
  const ids = sent.filter(({ rcptTo }) => rcptTo === member.email).map(({ messageId }) => messageId);
  assert.equal(ids.length, 2);
  assert.equal(new Set(ids).size, 1);
});

test('no digest is sent for a project without emails, to a former member, or in quiet hours', async () => {
  const idle = await withDigest();
  await sql`delete from emails where project_id = ${idle.projectId}`.execute(database);
  await sql`delete from email_recipients where project_id = ${idle.projectId}`.execute(database);
  const former = await withDigest();
  await database.deleteFrom('memberships').where('userId', '=', former.userId).execute();
  const hour = new Date().getUTCHours();
  const clockTime = (value: number) => `${String((value + 24) % 24).padStart(2, '0')}:00`;
  const quiet = await withDigest({ quiet_hours: { from: clockTime(hour - 1), until: clockTime(hour + 2) } });
  await check(WELL);
  await sendDue();
  for (const { email } of [idle, former, quiet]) assert.deepEqual(subjectsTo(email), []);
  assert.ok(((await subscriptionOf(idle)).digestAt?.getTime() ?? 0) > Date.now());
  assert.equal((await subscriptionOf(quiet)).digestAt?.getTime(), 0);
});

test('a digest that was missed while the alert was paused is not sent when it is resumed', async () => {
  const { userId, projectId, email } = await withDigest();
  const { id } = await subscriptionOf({ userId });
  const { channel: _, ...settings } = EMAIL;
  const update = (enabled: boolean) =>
    alerts.update({ userId, projectId }, id, { ...settings, digest: true, enabled });
  await update(false);
  await database
    .updateTable('alertSubscriptions')
    .set({ digestAt: new Date(0) })
    .where('id', '=', id)
    .execute();
  await update(true);
  await check(WELL);
  await sendDue();
  assert.deepEqual(subjectsTo(email), []);
});
