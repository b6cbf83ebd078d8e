/** The API log page: rejected requests are listed, opened, filtered and copied as curl commands. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createApiKey } from '../../src/accounts/keys/api-keys.ts';
import { apiClient } from '../support/api-client.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { openDashboard, type OpenedDashboard } from '../support/dashboard.ts';
import { soon } from '../support/soon.ts';
import { checkAccess } from '../support/watched-page.ts';

describe('API log page', { skip: NO_BROWSER }, () => {
  let dashboard: OpenedDashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard[Symbol.asyncDispose]());

  async function newKey(name: string) {
    const { service, projectUuid } = dashboard;
    const { id, token } = await createApiKey(service.database, projectUuid, name, ['mailboxes:write']);
    return { id, client: apiClient(service.baseUrl, token) };
  }

  async function open(path = '/api-log', options = {}) {
    const page = await dashboard.open(path, options);
    await page.getByRole('heading', { name: 'API log', exact: true, level: 1 }).waitFor();
    return page;
  }

  test('a rejected request is found, with what is wrong next to its body, and is copied without the password', async () => {
    const page = await open('/api-log', { context: { permissions: ['clipboard-read', 'clipboard-write'] } });
    await page.getByRole('heading', { name: 'No rejected requests' }).waitFor();
    await checkAccess(page);
    const [shop, other] = [await newKey('Shop'), await newKey('Other')];
    await shop.client.post('/v1/mailboxes', { local_part: 'ann', password: 'hunter2hunter2', colour: 'red' });
    await other.client.get('/v1/domains');
    await soon(async () => {
      await page.getByRole('button', { name: 'Refresh', exact: true }).click();
      assert.equal(await page.getByRole('table', { name: 'Rejected requests' }).getByRole('row').count(), 3);
    });
    await checkAccess(page);
    await page.getByLabel('Error', { exact: true }).selectOption('validation-failed');
    await page.getByRole('link', { name: 'GET /v1/domains' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'POST /v1/mailboxes' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rejected request' });
    await dialog.getByText('domain_id', { exact: true }).waitFor();
    await dialog.getByText(/^unknown field; the known fields are /).waitFor();
    await checkAccess(page);
    const body = JSON.parse((await dialog.getByLabel('Request body', { exact: true }).textContent()) ?? '');
    assert.deepEqual(body, { local_part: 'ann', password: '<secret>', colour: '<unknown field>' });
    await dialog.getByRole('button', { name: 'Copy as curl', exact: true }).click();
    await page.getByText('complete the values that were not stored').waitFor();
    const command = String(await page.evaluate('navigator.clipboard.readText()'));
    assert.match(command, /^curl -sS --path-as-is -X POST '.*\/v1\/mailboxes'/);
    assert.match(command, /\$POSTHORN_KEY/);
    assert.doesNotMatch(command, /hunter2/);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.match(page.url(), /error=validation-failed/);
  });

  test('the menu of a key leads to its rejected requests', async () => {
    const { client, id } = await newKey('Reports');
    await client.get('/v1/domains');
    const page = await dashboard.open('/api-keys');
    await page.getByRole('button', { name: 'More about Reports', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Rejected requests', exact: true }).click();
    await page.getByRole('heading', { name: 'API log', exact: true, level: 1 }).waitFor();
    assert.equal(await page.getByLabel('API key', { exact: true }).inputValue(), id);
    await soon(async () => {
      await page.getByRole('button', { name: 'Refresh', exact: true }).click();
      assert.equal(await page.getByRole('link', { name: 'GET /v1/domains' }).count(), 1);
    });
  });

  test('a request whose path is too long to be stored is not offered as a command', async () => {
    const { client } = await newKey('Long paths');
    await client.get(`/v1/emails/${'x'.repeat(400)}`);
    const page = await open('/api-log', { context: { viewport: { width: 390, height: 844 } } });
    await soon(async () => {
      await page.getByRole('button', { name: 'Refresh', exact: true }).click();
      await page.getByRole('link', { name: 'GET /v1/emails/%E2%80%A6' }).click({ timeout: 2_000 });
    });
    const dialog = page.getByRole('dialog', { name: 'Rejected request' });
    await dialog.getByText('The path was too long to be stored').waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'Copy as curl', exact: true }).count(), 0);
    await checkAccess(page);
  });

  test('a viewer sees that a request was rejected, but not its body', async () => {
    const { client } = await newKey('Viewed');
    await client.post('/v1/mailboxes', { local_part: 'viewed' });
    const page = await open('/api-log', { as: 'viewer' });
    await soon(async () => {
      await page.getByRole('button', { name: 'Refresh', exact: true }).click();
      await page
        .getByRole('row', { name: /Viewed/ })
        .getByRole('link')
        .click({ timeout: 2_000 });
    });
    await page.getByText('Your role cannot see email contents, so the body is hidden.').waitFor();
    assert.equal(await page.getByText('"viewed"').count(), 0);
  });
});
