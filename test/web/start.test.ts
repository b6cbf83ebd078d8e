/** The start page: the steps to the first email, then an overview of the project's mail. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { after, before, suite, test } from 'node:test';
import { decodeId } from '../../src/model/ids.ts';
import { pauseSending, resumeSending } from '../../src/queue/pause.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { freePort } from '../support/free-ports.ts';
import { openDashboard, type OpenedDashboard } from '../support/dashboard.ts';
import { checkAccess } from '../support/watched-page.ts';
import { soon } from '../support/soon.ts';

type EmailList = { data: { status: string }[] };

suite('start page', { skip: NO_BROWSER }, () => {
  let dashboard: OpenedDashboard;
  before(async () => {
    dashboard = await openDashboard({
      // This host name does not resolve. Because the server has no TLS, the SMTP example must use localhost instead.
      env: { POSTHORN_HOSTNAME: 'mx.acme.example', POSTHORN_SUBMISSION_PORT: String(await freePort()) },
    });
  });
  after(() => dashboard[Symbol.asyncDispose]());

  test('three steps guide a user to the first email, and its delivery is shown', async () => {
    const page = await dashboard.open();
    await page.getByRole('heading', { level: 1, name: 'Start', exact: true }).waitFor();
    await page.getByText('Waiting for your first email.').waitFor();
    await checkAccess(page);
    await page.getByRole('button', { name: 'Create key', exact: true }).press('Enter');
    const token = await page.getByLabel('API key').innerText();
    assert.match(token, /^svc_live_/);
    const code = await page.getByLabel('curl example', { exact: true }).innerText();
    assert.ok(code.includes(`Bearer ${token}`));
    const [, body = ''] = /-d '(.*)'/s.exec(code) ?? [];
    const response = await fetch(`${dashboard.service.baseUrl}/v1/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body,
    });
    assert.equal(response.status, 202);
    await page.getByRole('heading', { name: 'Received it' }).waitFor();
    await page.getByText('Delivered', { exact: true }).waitFor();
    await checkAccess(page);
    await page.getByRole('tab', { name: 'SMTP', exact: true }).click();
    const smtp = await page.getByLabel('SMTP example', { exact: true }).innerText();
    await promisify(execFile)('bash', ['-c', smtp]);
    await soon(async () => {
      const { body: sent } = await dashboard.service.client().get<EmailList>('/v1/emails');
      assert.deepEqual(
        sent.data.map(({ status }) => status),
        ['delivered', 'delivered'],
      );
    });
    await page.getByRole('button', { name: 'Go to overview', exact: true }).click();
    await page.getByRole('heading', { name: 'Volume', exact: true }).waitFor();
    await page.context().close();
  });

  test('the next steps after the first email follow the facts, by keyboard, and can be hidden', async () => {
    const page = await dashboard.open('/', { viewport: { width: 390, height: 844 } });
    const card = page.getByRole('region', { name: 'Next steps', exact: true });
    // The tests of this file share the organization, and its owner is its first member.
    await card.getByText('0 of 3 done').waitFor();
    await checkAccess(page);
    await card.getByRole('link', { name: 'Create a webhook', exact: true }).press('Enter');
    await page.getByRole('dialog', { name: 'Create webhook' }).waitFor();
    await page.goto('/dashboard');
    await card.getByRole('link', { name: 'Invite a colleague', exact: true }).press('Enter');
    await page.waitForURL(/\/people\?.*invite=yes/);
    await page.goto('/dashboard');
    await card.getByRole('link', { name: 'Add your domain', exact: true }).press('Enter');
    await page.getByRole('dialog', { name: 'Add domain' }).waitFor();
    const { body: domain } = await dashboard.service
      .client()
      .post<{ id: string }>('/v1/domains', { domain: 'steps.example' });
    await page.goto('/dashboard');
    await card.getByRole('link', { name: 'Verify your domain', exact: true }).press('Enter');
    await page.waitForURL((url) => url.pathname === `/dashboard/domains/${domain.id}`);
    await page.goto('/dashboard');
    await card.getByRole('button', { name: 'Hide next steps', exact: true }).press('Enter');
    await card.waitFor({ state: 'hidden' });
    await page.reload();
    await page.getByRole('heading', { name: 'Volume', exact: true }).waitFor();
    assert.equal(await card.count(), 0);
    await page.context().close();

    const mixed = await dashboard.open();
    await mixed.route('**/projects/*/start', async (route) => {
      const response = await route.fetch();
      const { next: _, ...earlier } = (await response.json()) as { next: unknown };
      await route.fulfill({ response, json: earlier });
    });
    // A process of an earlier version sends no next steps.
    await mixed.reload();
    await mixed.getByRole('heading', { name: 'Volume', exact: true }).waitFor();
    await mixed.context().close();

    const other = await dashboard.open('/', { as: 'viewer' });
    await other.getByText('Ask a developer.').first().waitFor();
    assert.equal(await other.getByRole('region', { name: 'Next steps' }).getByRole('link').count(), 0);
    await checkAccess(other);
    await other.context().close();
    const operator = await dashboard.open('/', { as: 'operator', colorScheme: 'dark' });
    const real = operator.getByRole('link', { name: 'Send to real recipients', exact: true });
    assert.match((await real.getAttribute('href')) ?? '', /^\/docs\/operate\/provider#/);
    await checkAccess(operator);
    await operator.context().close();
    await dashboard.service.database
      .deleteFrom('domains')
      .where('projectId', '=', dashboard.projectUuid)
      .execute();
  });

  test('the overview counts the emails of the period, which can be selected by keyboard', async () => {
    const page = await dashboard.open('/', { colorScheme: 'dark' });
    await page.getByText('emails to 2 recipients').waitFor();
    await page.getByRole('radio', { name: '7 days', exact: true }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('radio', { name: '30 days', exact: true, checked: true }).waitFor();
    await page.waitForURL(/range=30d/);
    await page
      .getByRole('slider', {
        name: /^Recipients in the last 30 days: 2 delivered, 0 in transit or scheduled/,
      })
      .waitFor();
    await page.getByText('2 of 2 recipients whose outcome is known. Over 95%').waitFor();
    await page.getByText('Nothing needs attention.').waitFor();
    await checkAccess(page);
    // The part and the whole of the rate.
    const rate = page.getByText('2 of 2 recipients whose outcome is known').getByRole('link', { name: '2' });
    await rate.last().press('Enter');
    await page.getByText('2 recipients in 2 emails', { exact: true }).waitFor();
    assert.match(new URL(page.url()).searchParams.get('q') ?? '', /^outcome:final since:\S+T00:00Z$/);
    await page.goBack();
    await page.getByRole('radio', { name: '30 days', exact: true, checked: true }).waitFor();
    const bars = page.getByRole('slider', { name: /^Recipients in the last 30 days/ });
    const newest = [
      () => bars.locator('g').last().click(),
      async () => {
        await bars.focus();
        // A day without emails has nothing to open.
        for (const key of ['ArrowRight', 'Enter', 'ArrowLeft', 'End']) await page.keyboard.press(key);
        await page.getByText(/: 2 delivered, .*Press Enter to see the emails$/).waitFor();
        await checkAccess(page);
        await page.keyboard.press('Enter');
      },
    ];
    for (const open of newest) {
      await open();
      await page.getByText('2 recipients in 2 emails', { exact: true }).waitFor();
      assert.match(
        new URL(page.url()).searchParams.get('q') ?? '',
        /^outcome:any since:\S+T00:00Z until:\S+T00:00Z$/,
      );
      await page.goBack();
    }
    await page.context().close();
  });

  test('each problem has a link to the page where it can be fixed', async () => {
    const { body: domain } = await dashboard.service
      .client()
      .post<{ id: string }>('/v1/domains', { domain: 'acme.example' });
    const long = `${'a'.repeat(60)}.acme.example`;
    await dashboard.service.client().post('/v1/domains', { domain: long });
    // A domain that was just added needs no attention yet.
    await dashboard.service.database
      .updateTable('domains')
      .set({ createdAt: new Date('2026-01-02T00:00:00Z') })
      .where('projectId', '=', dashboard.projectUuid)
      .execute();
    const page = await dashboard.open('/', { viewport: { width: 390, height: 844 } });
    await page.getByRole('link', { name: `${long} is not verified` }).waitFor();
    await soon(async () =>
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')),
    );
    await page.getByRole('link', { name: /^acme.example is not verified/ }).click();
    await page.waitForURL((url) => url.pathname === `/dashboard/domains/${domain.id}`);
    await page.context().close();
    const { database } = dashboard.service;
    const { body: mailbox } = await dashboard.service
      .client()
      .post<{ id: string }>('/v1/mailboxes', { domain_id: domain.id, local_part: 'ann' });
    await database
      .insertInto('sendingLocks')
      .values({
        projectId: dashboard.projectUuid,
        mailboxId: decodeId('mbx', mailbox.id) as string,
        lockedAt: new Date(),
        reason: 'refused',
        countsFrom: new Date(0),
      })
      .execute();
    await pauseSending(database, new Date());
    // Only operators can end a pause, so only operators see a link.
    for (const [as, links] of [
      ['viewer', 0],
      ['operator', 1],
    ] as const) {
      const other = await dashboard.open('/', { as });
      const problem = other.getByRole('link', { name: /^ann@acme\.example cannot send/ });
      assert.match((await problem.getAttribute('href')) ?? '', new RegExp(`/mailboxes/${mailbox.id}`));
      await other.getByRole('main').getByText('Sending is paused.').waitFor();
      await soon(async () =>
        assert.equal(
          await other
            .getByRole('main')
            .getByRole('link', { name: /^Sending is paused/ })
            .count(),
          links,
        ),
      );
      await other.context().close();
    }
    await resumeSending(database);
  });

  test('the numbers of the queue lead to the emails that they count, on a phone and by keyboard', async () => {
    const { database } = dashboard.service;
    await pauseSending(database, new Date());
    for (const to of [['ann@waits.test', 'bob@waits.test'], ['cleo@waits.test']]) {
      const email = { from: 'hello@posthorn.localhost', to, subject: 'Queued', text: 'Hello' };
      assert.equal((await dashboard.service.client().post('/v1/emails', email)).status, 202);
    }
    const page = await dashboard.open('/', { viewport: { width: 390, height: 844 } });
    const card = page.getByRole('region', { name: 'Queue', exact: true });
    await card.getByText('recipients are waiting for the next attempt.').waitFor();
    await checkAccess(page);
    await card.getByRole('listitem').getByRole('link', { name: '3', exact: true }).press('Enter');
    await page.waitForURL(/\/emails\?q=queue(:|%3A)untried/);
    await page.getByText('3 recipients in 2 emails').waitFor();
    await soon(async () => assert.equal(await page.getByRole('link', { name: 'Queued' }).count(), 2));
    await page.context().close();
    await resumeSending(database);
  });

  test('a user can hide a problem for a while, and show it again, by keyboard', async () => {
    const page = await dashboard.open('/', { as: 'developer' });
    const problem = page.getByRole('link', { name: /^acme.example is not verified/ });
    await problem.waitFor();
    await page.getByRole('button', { name: /^Snooze: acme.example is not verified/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'For a day', exact: true }).waitFor();
    await checkAccess(page);
    await page.keyboard.press('ArrowDown');
    await page.getByRole('menuitem', { name: 'For a week', exact: true }).press('Enter');
    await problem.waitFor({ state: 'hidden' });
    const other = await dashboard.open('/', { as: 'viewer' });
    await other.getByRole('link', { name: /^acme.example is not verified/ }).waitFor();
    await other.context().close();
    await page.reload();
    await page.getByRole('button', { name: 'Show 1 snoozed', exact: true }).press('Enter');
    await page.getByText(/^Snoozed until /).waitFor();
    await checkAccess(page);
    await page.getByRole('button', { name: 'Show again', exact: true }).press('Enter');
    await page.getByRole('button', { name: /^Snooze: acme.example is not verified/ }).waitFor();
    await page.context().close();
  });

  test('a test email needs no key, its arrival is shown, and a second key is not the main action', async () => {
    const { database } = dashboard.service;
    await database.deleteFrom('emails').execute();
    const page = await dashboard.open();
    await page.getByRole('button', { name: 'Create another key', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Send a test email', exact: true }).press('Enter');
    await page.getByRole('heading', { name: 'Received it' }).waitFor();
    const { email } = await dashboard.user('owner');
    const { body } = await dashboard.service.client().get<{ data: { to: string[] }[] }>('/v1/emails');
    assert.deepEqual(
      body.data.map(({ to }) => to),
      [[email]],
    );
    await page.context().close();
  });

  test('the start page asks a viewer to request an API key from a developer', async () => {
    const { database } = dashboard.service;
    await database.deleteFrom('emails').execute();
    const page = await dashboard.open('/', { as: 'viewer' });
    await page.getByText('Ask a developer of the project').waitFor();
    await soon(async () =>
      assert.equal(await page.getByRole('button', { name: 'Create key', exact: true }).count(), 0),
    );
    await page.context().close();
  });
});
