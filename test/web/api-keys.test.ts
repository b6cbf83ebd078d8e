/** The API keys page: keys are created, used, renamed and revoked. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
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
    for (const scope of SCOPES) await page.getByRole('checkbox', { name: scope, exact: true }).waitFor();
    await checkAccess(page);
    await page.getByRole('checkbox', { name: 'emails:send', exact: true }).focus();
    await page.keyboard.press('Space');
    await soon(async () =>
      assert.ok(await page.getByRole('radio', { name: 'Only these scopes', exact: true }).isChecked()),
    );
    await page.getByLabel('Recipients', { exact: true }).focus();
    await page.keyboard.type('acme.example');
    await page.keyboard.press('Enter');
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
    await soon(async () => assert.ok(!(await page.content()).includes('svc_live_')));
    await page.context().close();
  });

  test('a key is created with full access, but not with an empty selection of scopes', async () => {
    const page = await open({ as: 'admin' });
    await page.getByRole('button', { name: 'Create API key', exact: true }).click();
    await page.getByLabel('Name', { exact: true }).fill('Everything');
    await page.getByRole('radio', { name: 'Only these scopes', exact: true }).check();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('must not be empty').waitFor();
    await page.getByRole('radio', { name: 'Full access', exact: true }).check();
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
    assert.ok(await page.getByRole('radio', { name: 'Full access', exact: true }).isDisabled());
    assert.ok(await page.getByRole('radio', { name: 'Only these scopes', exact: true }).isChecked());
    for (const scope of SCOPES)
      assert.equal(
        await box(scope).isDisabled(),
        scope === 'mailboxes:write' || scope === 'domains:write',
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
