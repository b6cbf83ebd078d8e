/** The first page: the way to the first email, and then how the project's mail fares. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { NO_BROWSER } from '../support/browser.ts';
import { openDashboard, type OpenedDashboard } from '../support/dashboard.ts';
import { checkAccess } from '../support/watched-page.ts';
import { soon } from '../support/soon.ts';

suite('Start', { skip: NO_BROWSER }, () => {
  let dashboard: OpenedDashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard[Symbol.asyncDispose]());

  test('three steps lead to the first email, and the page turns green when it is there', async () => {
    const page = await dashboard.open();
    await page.getByRole('heading', { level: 1, name: 'Start', exact: true }).waitFor();
    await page.getByText('Waiting for your first email.').waitFor();
    await checkAccess(page);
    await page.getByRole('button', { name: 'Make a key', exact: true }).press('Enter');
    const token = await page.getByLabel('API key', { exact: true }).innerText();
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
    await page.getByText('Delivered').waitFor();
    await checkAccess(page);
    await page.getByRole('button', { name: 'Go to the overview', exact: true }).click();
    await page.getByRole('heading', { name: 'Volume', exact: true }).waitFor();
    await page.context().close();
  });

  test('the overview counts the emails of the time that is chosen, by keyboard too', async () => {
    const page = await dashboard.open('/', { colorScheme: 'dark' });
    await page
      .getByText('1 email', { exact: false })
      .or(page.getByText('email to 1 recipient'))
      .first()
      .waitFor();
    await page.getByRole('radio', { name: '7 days', exact: true }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('radio', { name: '30 days', exact: true, checked: true }).waitFor();
    await page.waitForURL(/range=30d/);
    await page
      .getByRole('img', { name: /^Recipients in the last 30 days: 1 delivered, 0 on the way/ })
      .waitFor();
    await page.getByText('Nothing needs you.').waitFor();
    await checkAccess(page);
    await page.context().close();
  });

  test('what needs somebody leads to where it is mended', async () => {
    const { body: domain } = await dashboard.service
      .client()
      .post<{ id: string }>('/v1/domains', { domain: 'acme.example' });
    const long = `${'a'.repeat(60)}.acme.example`;
    await dashboard.service.client().post('/v1/domains', { domain: long });
    const page = await dashboard.open('/', { viewport: { width: 390, height: 844 } });
    await page.getByRole('link', { name: `${long} is not verified` }).waitFor();
    await soon(async () =>
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')),
    );
    await page.getByRole('link', { name: /^acme.example is not verified/ }).click();
    await page.waitForURL((url) => url.pathname === `/dashboard/domains/${domain.id}`);
    await page.context().close();
  });

  test('a viewer is told that they may not make keys', async () => {
    const { database } = dashboard.service;
    await database.deleteFrom('emails').execute();
    const page = await dashboard.open('/', { as: 'viewer' });
    await page.getByText('Ask a developer of the project for one').waitFor();
    await soon(async () =>
      assert.equal(await page.getByRole('button', { name: 'Make a key', exact: true }).count(), 0),
    );
    await page.context().close();
  });
});
