import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import type { Locator, Page } from 'playwright-core';
import { type OpenedDashboard, openDashboard } from '../support/dashboard.ts';
import { checkAccess } from '../support/watched-page.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { newUuid } from '../../src/model/ids.ts';
import { pauseSending, resumeSending } from '../../src/queue/pause.ts';
import { deferRows, park } from '../support/queue-rows.ts';
import { TlsResults } from '../../src/sending/deliver/direct/tls-results.ts';
import { showProcess } from '../support/process-rows.ts';
import { soon } from '../support/soon.ts';

const REPLY = JSON.stringify({
  replyCode: 421,
  enhancedCode: '4.7.0',
  text: 'too many of you today',
  remoteMta: 'mx.gmx.test',
  tls: true,
  dialogue: null,
});

let dashboard: OpenedDashboard;
before(async () => {
  // The service is not shared, because these pages show the whole installation.
  if (NO_BROWSER === false) dashboard = await openDashboard({});
});
after(async () => {
  await dashboard?.[Symbol.asyncDispose]();
});

function inBrowser(name: string, run: () => Promise<void>): void {
  void test(name, { skip: NO_BROWSER }, run);
}

const openSystem = (path = '') => dashboard.open(`/system${path}`, { as: 'operator' });
const button = (area: Page | Locator, name: string | RegExp) =>
  area.getByRole('button', { name, exact: true });
const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

async function send(to: string): Promise<string> {
  const { body } = await dashboard.service.client().post<{ id: string }>('/v1/emails', {
    from: 'hello@posthorn.localhost',
    to: [to],
    subject: 'A test',
    text: 'Hello',
  });
  return body.id;
}

async function statusOf(id: string): Promise<string> {
  const { body } = await dashboard.service.client().get<{ status: string }>(`/v1/emails/${id}`);
  return body.status;
}

/** Runs the work while no worker has a lease, so that every worker applies the changes before it claims mail. */
async function beforeWorkers(work: () => Promise<void>): Promise<void> {
  const { database } = dashboard.service;
  await pauseSending(database, new Date());
  const isQuiet = async () =>
    (await sql`select from leases where holds = 'recipients'`.execute(database)).rows.length === 0;
  await soon(async () => assert.ok(await isQuiet()));
  await work();
  await resumeSending(database);
}

inBrowser('an operator reads mail to postmaster as plain text, and deletes it', async () => {
  const raw =
    'From: "<i>Ann</i>" <ann@good.example>\r\nSubject: Spam <b>from</b> you\r\n\r\n<script>alert(1)</script>\r\n';
  await dashboard.service.database
    .insertInto('operatorMail')
    .values({
      id: newUuid(),
      digest: hash('sha256', raw, 'buffer'),
      recipients: ['postmaster'],
      helo: 'mx.good.example',
      reversePath: 'ann@good.example',
      clientAddress: '192.0.2.1',
      author: '<i>Ann</i> <ann@good.example>',
      subject: 'Spam <b>from</b> you',
      octets: raw.length,
      raw: Buffer.from(raw),
    })
    .execute();
  const page = await openSystem('?part=mail');
  await button(page, 'Spam <b>from</b> you').waitFor();
  await checkAccess(page);
  await button(page, 'Spam <b>from</b> you').focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Spam <b>from</b> you' });
  await dialog.getByText('<script>alert(1)</script>').waitFor();
  await checkAccess(page);
  await button(dialog, 'Delete').click();
  await button(page.getByRole('alertdialog'), 'Delete').click();
  await page.getByRole('heading', { name: 'No mail for operators' }).waitFor();
  await page.context().close();
});

inBrowser('only operators see System in the menu, and other users do not find the page', async () => {
  const page = await dashboard.open('/system');
  await page.getByRole('heading', { name: 'Page not found', exact: true, level: 1 }).waitFor();
  await soon(async () =>
    assert.equal(await page.getByRole('link', { name: 'System', exact: true }).count(), 0),
  );
  await page.context().close();
});

inBrowser('a process that does not respond is listed as gone, after the processes that run', async () => {
  const { database } = dashboard.service;
  const id = await showProcess(database, { host: 'one.example', name: 'worker-9', silentMs: 3_600_000 });
  const page = await dashboard.open('/system?part=processes', { as: 'operator' });
  await page.getByText('1 process does not respond.', { exact: true }).waitFor();
  await page
    .getByRole('row')
    .last()
    .filter({ hasText: 'worker-9' })
    .getByText(/^Gone since .*\d\d:\d\d$/)
    .waitFor();
  await checkAccess(page);
  await page.context().close();
  await sql`delete from processes where id = ${id}`.execute(database);
});

inBrowser('the keyboard opens System, and moves from tab to tab', async () => {
  const page = await dashboard.open('/', { as: 'operator' });
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('y');
  await page.getByRole('heading', { name: 'System', exact: true, level: 1 }).waitFor();
  await page.getByRole('status').filter({ hasText: 'checked' }).waitFor();
  await page
    .getByRole('list', { name: 'Checks', exact: true })
    .getByText('The database is reachable')
    .waitFor();
  await checkAccess(page);
  await page.getByRole('tab', { name: 'Checks', exact: true }).focus();
  for (const [name, seen] of [
    ['Queue', 'Nothing is queued'],
    ['Processes', /processes on 1 machine/],
    ['Storage', 'Disk space'],
    ['Certificates', 'No certificates'],
    ['TLS results', 'No TLS results yet'],
    ['Mail for operators', 'No mail for operators'],
    ['Versions', /^All processes run/],
    ['Sign-in', 'Required sign-in'],
    ['Log', 'Operator actions'],
  ] as const) {
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name, exact: true, selected: true }).waitFor();
    await page.getByRole('tabpanel').getByText(seen).first().waitFor();
    await checkAccess(page);
  }
  await soon(async () => assert.match(page.url(), /part=log/));
  await page.context().close();
});

inBrowser('mail for a paused destination is not sent until it is resumed', async () => {
  const page = await openSystem('?part=queue');
  await button(page, 'Pause a destination').click();
  const dialog = page.getByRole('dialog', { name: 'Pause a destination', exact: true });
  await dialog.getByLabel('Domain', { exact: true }).fill('no domain');
  await page.keyboard.press('Enter');
  await dialog.getByText('must be a domain, such as example.net').waitFor();
  await dialog.getByLabel('Domain', { exact: true }).fill('Paused.Example');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  const row = rowOf(page, 'paused.example');
  await row.getByText('Paused', { exact: true }).waitFor();
  let [paused, free] = ['', ''];
  await beforeWorkers(async () => {
    [paused, free] = [await send('ann@paused.example'), await send('ann@free.example')];
  });
  await soon(async () => assert.equal(await statusOf(free), 'delivered'));
  await row.getByRole('cell', { name: '1', exact: true }).waitFor();
  assert.equal(await statusOf(paused), 'queued');
  await checkAccess(page);
  await button(row, 'Resume paused.example').focus();
  await page.keyboard.press('Enter');
  await page.getByText('Mail for paused.example resumed').waitFor();
  await soon(async () => assert.equal(await statusOf(paused), 'delivered'));
  await page.context().close();
});

inBrowser('a closed destination shows its last response, and is retried on request', async () => {
  const { database } = dashboard.service;
  const page = await openSystem('?part=queue');
  let id = '';
  await beforeWorkers(async () => {
    id = await send('ann@gmx.test');
    await sql`
      insert into destinations (name, failures, failing_since, reply, next_attempt_at)
      values ('gmx.test', 3, now() - interval '1 hour', ${REPLY}::jsonb, now() + interval '1 hour')`.execute(
      database,
    );
    await park(database, 'gmx.test', { address: 'ann@gmx.test' });
  });
  const link = page.getByRole('link', { name: 'gmx.test', exact: true });
  await rowOf(page, 'gmx.test').getByText('Unavailable').waitFor();
  await link.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'gmx.test', exact: true });
  await dialog.getByText('Last response of mx.gmx.test').waitFor();
  await dialog.getByText('421 4.7.0 too many of you today').waitFor();
  await soon(async () => assert.match(page.url(), /destination=gmx\.test/));
  await soon(async () => assert.ok(!(await page.content()).includes('ann@')));
  await checkAccess(page);
  await button(dialog, 'Try now: gmx.test').click();
  await page.getByText('Retrying gmx.test').waitFor();
  await soon(async () => assert.equal(await statusOf(id), 'delivered'));
  await page.context().close();
});

inBrowser(
  'each number of the queue leads to the recipients that it counts, without their addresses',
  async () => {
    const { database } = dashboard.service;
    const page = await openSystem('?part=queue');
    await beforeWorkers(async () => {
      for (const name of ['ann', 'bob']) await send(`${name}@away.test`);
      await send('cleo@slow.test');
      await sql`
      insert into destinations (name, failures, failing_since, reply, next_attempt_at)
      values ('away.test', 3, now() - interval '1 hour', ${REPLY}::jsonb, now() + interval '1 hour')`.execute(
        database,
      );
      for (const name of ['ann', 'bob']) await park(database, 'away.test', { address: `${name}@away.test` });
      await deferRows(database, { address: 'cleo@slow.test' });
    });
    const table = page.getByRole('table', { name: 'Queued recipients', exact: true });
    const rows = () => table.locator('tbody tr').count();
    await rowOf(page, 'away.test').getByRole('link', { name: '2', exact: true }).press('Enter');
    await page.getByRole('heading', { name: 'Waiting recipients at away.test', exact: true }).waitFor();
    await soon(async () => assert.equal(await rows(), 2));
    await table.getByText('Parked', { exact: true }).first().waitFor();
    await checkAccess(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await checkAccess(page);
    await soon(async () => assert.doesNotMatch(await page.content(), /(ann|bob|cleo)@/));
    await page.getByRole('link', { name: 'All destinations', exact: true }).press('Enter');
    await rowOf(page, 'slow.test').getByRole('link', { name: 'slow.test', exact: true }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'slow.test', exact: true });
    await dialog.getByRole('link', { name: '1', exact: true }).last().press('Enter');
    await page.getByRole('heading', { name: 'Deferred recipients at slow.test', exact: true }).waitFor();
    await soon(async () => assert.equal(await rows(), 1));
    await page.getByRole('link', { name: '3', exact: true }).press('Enter');
    await page.getByRole('heading', { name: 'Waiting recipients', exact: true }).waitFor();
    await soon(async () => assert.equal(await rows(), 3));
    await page.context().close();
    await sql`delete from queue`.execute(database);
    await sql`delete from destinations`.execute(database);
  },
);

inBrowser('mail deferred by an open destination is retried from the list', async () => {
  const { database } = dashboard.service;
  const page = await openSystem('?part=queue');
  let id = '';
  await beforeWorkers(async () => {
    id = await send('ann@grey.test');
    await deferRows(database, { address: 'ann@grey.test' });
  });
  const row = rowOf(page, 'grey.test');
  await row.getByText('Defers 1', { exact: true }).waitFor();
  assert.equal(await statusOf(id), 'queued');
  await button(row, 'Try now: grey.test').focus();
  await page.keyboard.press('Enter');
  await page.getByText('Retrying grey.test').waitFor();
  await soon(async () => assert.equal(await statusOf(id), 'delivered'));
  await row.waitFor({ state: 'detached' });
  await page.context().close();
});

inBrowser("TLS results of recipients' servers are filtered by domain and day, and paged", async () => {
  let day = '2026-11-20';
  const results = new TlsResults({
    database: dashboard.service.database,
    logger: { warn() {} },
    now: () => new Date(`${day}T12:00:00Z`),
  });
  const good = { policyType: 'sts', mxHost: 'mx.dst.test', outcome: 'success' } as const;
  for (let at = 0; at < 50; at++) results.record({ ...good, policyDomain: `d${at}.test` });
  day = '2026-11-21';
  results.record({ ...good, policyDomain: 'bad.test', mxHost: '', outcome: 'sts-policy-fetch-error' });
  await results.flush();
  const page = await openSystem('?part=tls');
  const failed = rowOf(page, 'bad.test');
  for (const seen of ['About the policy, not a server', 'sts-policy-fetch-error'])
    await failed.getByText(seen).waitFor();
  await checkAccess(page);
  const rows = page.getByRole('table', { name: 'TLS results', exact: true }).getByRole('row');
  await soon(async () => assert.equal(await rows.count(), 51));
  await button(page, 'Show more').click();
  await soon(async () => assert.equal(await rows.count(), 52));
  await page.getByLabel('Day (UTC)', { exact: true }).fill('2026-11-20');
  await failed.waitFor({ state: 'detached' });
  await page.getByRole('searchbox', { name: 'Search domains', exact: true }).fill('bad');
  await page.getByText('No matching results').waitFor();
  await soon(async () => assert.match(page.url(), /day=2026-11-20/));
  await page.context().close();
});

inBrowser('sending is paused, and resumed with the option to withdraw waiting mail', async () => {
  const page = await openSystem('?part=queue');
  await button(page, 'Pause sending').click();
  const alert = page.getByRole('alertdialog', { name: 'Pause all sending?', exact: true });
  await checkAccess(page);
  await button(alert, 'Pause sending').click();
  await page.getByText(/^Sending was paused/).waitFor();
  await button(page, 'Resume sending').click();
  const dialog = page.getByRole('dialog', { name: 'Resume sending', exact: true });
  await dialog.getByLabel('Withdraw mail accepted before the pause', { exact: true }).check();
  await checkAccess(page);
  await button(dialog, 'Resume sending').click();
  await button(page, 'Pause sending').waitFor();
  await page.getByRole('tab', { name: 'Log', exact: true }).click();
  const changes = page.getByRole('table', { name: 'Operator actions', exact: true });
  await changes.getByText('resumed sending').waitFor();
  await changes.getByText('paused sending').waitFor();
  await page.context().close();
});

inBrowser('ten thousand destinations are paged and searched', async () => {
  const { database } = dashboard.service;
  await sql`
    insert into destinations (name, failures, failing_since, next_attempt_at)
    select 'd' || n || '.many.test', 1, now(), now() + interval '1 hour' from generate_series(1, 10000) n`.execute(
    database,
  );
  await sql`
    insert into queue (project_id, email_id, recipient_index, address, octets, stream, destination, next_attempt_at)
    select ${dashboard.projectUuid}::uuid, gen_random_uuid(), 0, 'a@d' || n || '.many.test', 1, 'bulk', 'd' || n || '.many.test', 'infinity'
    from generate_series(1, 10000) n`.execute(database);
  const page = await openSystem('?part=queue');
  await page.getByText('10,000 destinations, page 1 of 200').waitFor();
  await button(page, 'Next').click();
  await page.getByText('10,000 destinations, page 2 of 200').waitFor();
  await soon(async () => assert.match(page.url(), /page=2/));
  await page.getByRole('searchbox', { name: 'Search destinations', exact: true }).fill('d777');
  await page.getByRole('link', { name: 'd777.many.test', exact: true }).waitFor();
  await soon(async () => assert.equal(await page.getByRole('row').count(), 12));
  await page.getByLabel('State', { exact: true }).selectOption('Paused');
  await page.getByText('No matching destinations').waitFor();
  await sql`delete from queue where destination like '%.many.test'`.execute(database);
  await sql`delete from destinations where name like '%.many.test'`.execute(database);
  await page.context().close();
});

inBrowser('the log level is raised for a while, and reset', async () => {
  const page = await openSystem('?part=log');
  await page.getByLabel('Duration', { exact: true }).selectOption('15 minutes');
  await button(page, 'Enable debug logging').click();
  await page.getByText(/^All processes log at level debug and above/).waitFor();
  await checkAccess(page);
  await button(page, 'Disable debug logging').click();
  await button(page, 'Enable debug logging').waitFor();
  await page.context().close();
});
