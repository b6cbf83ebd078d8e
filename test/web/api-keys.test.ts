/** The API keys page: keys are created, used, renamed and revoked. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import type { Locator, Page } from 'playwright-core';
import { createApiKey } from '../../src/accounts/keys/api-keys.ts';
import { UNRESTRICTED } from '../../src/accounts/restrictions/restrictions.ts';
import { SCOPES } from '../../src/model/scopes.ts';
import { apiClient } from '../support/api-client.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { openDashboard, type OpenedDashboard, PASSWORD } from '../support/dashboard.ts';
import { checkAccess } from '../support/watched-page.ts';
import { soon } from '../support/soon.ts';

const NARROW = { width: 390, height: 844 };
const TOKEN = /^svc_live_[A-Za-z0-9_-]{32}$/;

describe('API keys page', { skip: NO_BROWSER }, () => {
  let dashboard: OpenedDashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard[Symbol.asyncDispose]());

  async function open(
    ...[options]: Parameters<OpenedDashboard['open']> extends [unknown?, (infer O)?] ? [O?] : []
  ) {
    const page = await dashboard.open('/api-keys', options);
    await page.getByRole('heading', { name: 'API keys', exact: true, level: 1 }).waitFor();
    await page.getByRole('table', { name: 'Keys', exact: true }).waitFor();
    return page;
  }

  const rowOf = (page: Page, name: string): Locator =>
    page.getByRole('row', { name: new RegExp(`^${name} `) });
  const radio = (page: Page, name: string): Locator => page.getByRole('radio', { name, exact: true });
  /** Waits for the visible copy of a text. Narrow windows have another copy in a hidden cell. */
  const says = (area: Locator, text: string) =>
    area.getByText(text).filter({ visible: true }).first().waitFor();
  const send = (token: string, to: string, from = 'hello@posthorn.localhost') =>
    apiClient(dashboard.service.baseUrl, token).post('/v1/emails', {
      from,
      to: [to],
      text: 'It works.',
    });

  /** Creates a key directly in the database, as the command line does. */
  const make = (name: string, restrictions = {}) =>
    createApiKey(dashboard.service.database, dashboard.projectUuid, name, ['emails:send'], {
      restrictions: { ...UNRESTRICTED, ...restrictions },
    });

  test('a key is created by keyboard, and requests with the key obey the chosen restrictions', async () => {
    const page = await open({ context: { permissions: ['clipboard-read', 'clipboard-write'] } });
    await checkAccess(page);
    await page.getByRole('button', { name: 'Create API key', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('Staging');
    assert.ok(await radio(page, 'Sending only').isChecked());
    assert.equal(await page.getByRole('checkbox').count(), 0);
    await checkAccess(page);
    await page.getByText('Restrictions and expiry', { exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Recipients', { exact: true }).focus();
    await page.keyboard.type('acme.example');
    // The service rejects the value of a field that is hidden again.
    await page.getByText('Restrictions and expiry', { exact: true }).click();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText(/is not an address such as/).waitFor();
    await page.locator(':focus[aria-invalid=true]').waitFor();
    await checkAccess(page);
    await page.getByLabel('Recipients', { exact: true }).fill('*@acme.example ada@dst.example');
    await page.getByLabel('Sending domains', { exact: true }).fill('posthorn.localhost');
    await page.getByLabel('Source addresses', { exact: true }).fill('127.0.0.0/8, ::1');
    await page.keyboard.press('Enter');

    const token = page.getByLabel('API key', { exact: true });
    await page.locator('textarea:focus').waitFor();
    const text = await token.inputValue();
    assert.match(text, TOKEN);
    await soon(async () => assert.equal(await token.textContent(), text));
    await checkAccess(page);
    await page.getByRole('button', { name: 'Copy the token', exact: true }).click();
    await page.getByText('Copied').waitFor({ state: 'attached' });
    await soon(async () => assert.equal(await page.evaluate('navigator.clipboard.readText()'), text));
    // Pages served over plain HTTP have no clipboard API.
    await page.evaluate(`(async () => {
      window.board = navigator.clipboard;
      await board.writeText('');
      delete Navigator.prototype.clipboard;
    })()`);
    await page.getByRole('button', { name: 'Copy the token', exact: true }).click();
    await soon(async () => assert.equal(await page.evaluate('board.readText()'), text));
    await page.evaluate('document.execCommand = () => false');
    await page.getByRole('button', { name: 'Copy the token', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'blocked copying' }).waitFor();
    for (const name of ['curl', 'TypeScript']) {
      await page.getByRole('tab', { name, exact: true }).click();
      const code = await page.getByLabel(`the ${name} example`, { exact: true }).textContent();
      assert.ok(code?.includes(text), name);
    }
    assert.equal((await send(text, 'you@acme.example')).status, 202);
    assert.equal((await send(text, 'b@dst.test')).status, 422);
    assert.equal((await send(text, 'you@acme.example', 'hello@acme.example')).status, 422);

    await page.getByRole('button', { name: 'Done', exact: true }).click();
    await says(rowOf(page, 'Staging'), 'emails:send');
    await says(rowOf(page, 'Staging'), 'To *@acme.example, ada@dst.example');
    await says(rowOf(page, 'Staging'), 'From posthorn.localhost');
    await says(rowOf(page, 'Staging'), 'IP 127.0.0.0/8');
    await rowOf(page, 'Staging').getByText('by Ada owner').waitFor();
    await soon(async () => assert.ok(!(await page.content()).includes(text)));
    await page.reload();
    await says(rowOf(page, 'Staging'), 'just now');
    await says(rowOf(page, 'Staging'), `svc_live_…${text.slice(-4)}`);
    assert.doesNotMatch(await page.content(), /svc_live_[^…]/);
    await page.context().close();
  });

  test('a key is found by the end of its token, by the whole token and by its name, and the search is not in the URL', async () => {
    const { token } = await make('Found');
    await make('Other');
    const page = await open();
    const search = page.getByRole('searchbox', { name: 'Search API keys', exact: true });
    for (const typed of [token.slice(-4), token, 'found']) {
      await search.fill(typed);
      await rowOf(page, 'Other').waitFor({ state: 'detached' });
      await rowOf(page, 'Found').waitFor();
    }
    await search.fill(`${token}a`);
    await page.getByRole('heading', { name: 'No matching API keys', exact: true }).waitFor();
    assert.ok(!page.url().includes(token));
    await checkAccess(page);
    await search.fill('');
    await rowOf(page, 'Other').waitFor();
    await page.context().close();
  });

  test('the dialog needs no scrolling, and each choice creates a key with its scopes', async () => {
    const page = await open({ as: 'developer' });
    for (const [choice, access] of [
      ['Sending only', 'emails:send'],
      ['Read only', SCOPES.filter((scope) => scope.endsWith(':read') && scope !== 'routes:read').join(', ')],
    ] as const) {
      await page.getByRole('button', { name: 'Create API key', exact: true }).click();
      await page.getByLabel('Name', { exact: true }).fill(choice);
      await radio(page, choice).check();
      const hidden = await page
        .getByRole('dialog')
        .evaluate((dialog) =>
          [...dialog.querySelectorAll('*')].some(
            (part) => part.scrollHeight > part.clientHeight + 1 && part.clientHeight > 100,
          ),
        );
      assert.equal(hidden, false, choice);
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByRole('button', { name: 'Done', exact: true }).click();
      await says(rowOf(page, choice), access);
    }
    await page.context().close();
  });

  test('a key from an earlier version shows no end of its token', async () => {
    await make('earlier');
    await sql`update api_keys set last_four = null where name = 'earlier'`.execute(
      dashboard.service.database,
    );
    const page = await open();
    await rowOf(page, 'earlier').waitFor();
    assert.doesNotMatch((await rowOf(page, 'earlier').textContent()) ?? '', /svc_live/);
    await page.context().close();
  });

  test('a key is created with full access, but not with an empty selection of scopes', async () => {
    const page = await open({ as: 'admin' });
    await page.getByRole('button', { name: 'Create API key', exact: true }).click();
    await page.getByLabel('Name', { exact: true }).fill('Everything');
    await radio(page, 'Custom').check();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('must not be empty').waitFor();
    await radio(page, 'Full access').check();
    await page.getByText('Restrictions and expiry', { exact: true }).click();
    await page.getByLabel('Expires', { exact: true }).selectOption('In 90 days');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await soon(async () =>
      assert.match(await page.getByLabel('API key', { exact: true }).inputValue(), TOKEN),
    );
    await says(rowOf(page, 'Everything'), 'Full access');
    await rowOf(page, 'Everything').getByText('in 3 mo').waitFor();
    await page.context().close();
  });

  test('developers can select only scopes that they may grant, and a key that exceeds its creator’s role is marked', async () => {
    const { id: creator } = await dashboard.user('viewer');
    await createApiKey(dashboard.service.database, dashboard.projectUuid, 'Crawler', ['emails:send'], {
      createdBy: creator,
    });
    const page = await open({ as: 'developer' });
    await rowOf(page, 'Crawler').getByText('Exceeds its creator’s role', { exact: true }).waitFor();
    await rowOf(page, 'Crawler')
      .getByText('Ada viewer is a viewer now, and could not create this key.')
      .waitFor();
    await page.getByRole('button', { name: 'Create API key', exact: true }).click();
    await page.getByLabel('Name', { exact: true }).fill('Shop');
    const box = (name: string) => page.getByRole('checkbox', { name, exact: true });
    assert.ok(await radio(page, 'Full access').isDisabled());
    assert.ok(await radio(page, 'Sending only').isChecked());
    await radio(page, 'Custom').check();
    for (const name of ['Emails', 'Suppressions'])
      await page.getByRole('group', { name, exact: true }).waitFor();
    for (const scope of SCOPES)
      assert.equal(
        await box(scope).isDisabled(),
        scope === 'mailboxes:write' || scope === 'domains:write' || scope.startsWith('routes:'),
        scope,
      );
    await page.getByText('Add, verify and remove domains. Only admins and owners can grant it.').waitFor();
    await checkAccess(page);
    await box('emails:send').check();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await soon(async () =>
      assert.match(await page.getByLabel('API key', { exact: true }).inputValue(), TOKEN),
    );
    await page.context().close();
  });

  test('a session that was not confirmed recently needs the password before a key is created', async () => {
    const page = await open({ as: 'admin', isUnconfirmed: true });
    await page.getByRole('button', { name: 'Create API key', exact: true }).click();
    await page.getByLabel('Name', { exact: true }).fill('Confirmed');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await soon(async () =>
      assert.match(await page.getByLabel('API key', { exact: true }).inputValue(), TOKEN),
    );
    await page.context().close();
  });

  test('a key is renamed, then revoked after a warning, and requests with the revoked key are rejected', async () => {
    const { token } = await make('leaked');
    assert.equal((await send(token, 'b@dst.test')).status, 202);
    const page = await open();
    const menu = async (item: 'Rename' | 'Revoke') => {
      await page.getByRole('button', { name: /^More about leaked/ }).focus();
      await page.keyboard.press('Enter');
      await page.locator('[role=menuitem]:focus').waitFor();
      await page.keyboard.press('End');
      if (item === 'Rename') await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
    };
    await menu('Rename');
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('leaked key');
    await checkAccess(page);
    await page.keyboard.press('Enter');
    await rowOf(page, 'leaked key').waitFor();
    await menu('Revoke');
    const dialog = page.getByRole('alertdialog', { name: 'Revoke leaked key?', exact: true });
    await dialog.getByText(/lose API and SMTP access within two seconds/).waitFor();
    await dialog.getByText(/It was last used/).waitFor();
    await checkAccess(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    assert.equal((await send(token, 'b@dst.test')).status, 202);
    await menu('Revoke');
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('leaked key revoked').waitFor();
    await rowOf(page, 'leaked key').waitFor({ state: 'hidden' });
    await soon(async () => assert.equal((await send(token, 'b@dst.test')).status, 401));
    await page.context().close();
  });

  test('a viewer sees the keys, but no buttons to change them', async () => {
    await make('seen');
    const page = await open({ as: 'viewer' });
    await rowOf(page, 'seen').waitFor();
    await soon(async () =>
      assert.equal(await page.getByRole('button', { name: 'Create API key', exact: true }).count(), 0),
    );
    await page.getByRole('button', { name: 'More about seen', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Copy ID', exact: true }).waitFor();
    await soon(async () =>
      assert.deepEqual(await page.getByRole('menuitem').allTextContents(), ['Copy ID', 'Rejected requests']),
    );
    await checkAccess(page);
    await page.context().close();
  });

  for (const colorScheme of ['light', 'dark'] as const)
    test(`the API keys page fits the window of a phone, ${colorScheme}`, async () => {
      await make(`narrow ${colorScheme}`, {
        fromDomains: ['a-long-name-of-a-domain.acme.example'],
        recipients: ['*@acme.example'],
        addresses: ['2001:db8:1111:2222:3333:4444:5555:6666'],
      });
      const page = await open({ viewport: NARROW, colorScheme });
      const isNarrow = async () =>
        await soon(async () =>
          assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')),
        );
      await isNarrow();
      await checkAccess(page);
      await page.getByRole('button', { name: 'Create API key', exact: true }).click();
      await page.getByLabel('Name', { exact: true }).fill('Phone');
      await checkAccess(page);
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByLabel('API key', { exact: true }).waitFor();
      await isNarrow();
      await checkAccess(page);
      await page.context().close();
    });

  test('a project without keys shows a button to create a key', async () => {
    const { database } = dashboard.service;
    await database.updateTable('apiKeys').set({ revokedAt: new Date() }).execute();
    const page = await dashboard.open('/api-keys');
    await page.getByRole('heading', { name: 'No API keys yet', exact: true }).waitFor();
    await checkAccess(page);
    await page.getByRole('button', { name: 'Create API key', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    await soon(async () => assert.equal(new URL(page.url()).searchParams.get('create'), 'yes'));
    await page.context().close();
  });
});
