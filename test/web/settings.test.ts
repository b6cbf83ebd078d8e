/** Settings, usage and the audit log. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { encodeId, newUuid } from '../../src/model/ids.ts';
import { insertEmails } from '../../src/sending/accept/insert-emails.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { openDashboard, type OpenedDashboard } from '../support/dashboard.ts';
import { checkAccess } from '../support/watched-page.ts';
import { newEmail } from '../support/emails.ts';
import { newShop } from '../support/projects.ts';
import { soon } from '../support/soon.ts';

suite('settings pages', { skip: NO_BROWSER }, () => {
  let dashboard: OpenedDashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard[Symbol.asyncDispose]());

  async function shop(name: string): Promise<{ uuid: string; search: string }> {
    const { database } = dashboard.service;
    const uuid = await newShop(database, name, { localPart: name }, dashboard.organizationId);
    await insertEmails(
      database,
      Array.from({ length: 3 }, () => newEmail({ projectId: uuid, emailId: newUuid() })),
    );
    return { uuid, search: `?project=${encodeId('prj', uuid)}` };
  }

  const settingsOf = (uuid: string) =>
    dashboard.service.database
      .selectFrom('projects')
      .selectAll()
      .where('id', '=', uuid)
      .executeTakeFirstOrThrow();
  const isNarrow = async (page: Page) =>
    await soon(async () =>
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')),
    );

  test('a project is renamed by keyboard, and each setting is saved as soon as it is changed', async () => {
    const { uuid, search } = await shop('alpha');
    const page = await dashboard.open(`/${search}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press(',');
    await page.getByRole('heading', { name: 'Settings', exact: true, level: 1 }).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('alphabet');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Project alphabet' }).waitFor();
    await page.getByRole('checkbox', { name: 'Track opens', exact: true }).focus();
    await page.keyboard.press('Space');
    await page.getByRole('checkbox', { name: 'Track opens', exact: true, checked: true }).waitFor();
    await page.getByLabel('Spam level', { exact: true }).selectOption('high');
    await page.getByText('Saved').last().waitFor();
    await checkAccess(page);
    await soon(async () => {
      const { name, trackOpens, defaultSpamLevel } = await settingsOf(uuid);
      assert.deepEqual([name, trackOpens, defaultSpamLevel], ['alphabet', true, 'high']);
    });
    await page.context().close();
  });

  test('the data about a person is erased by address and by keyboard', async () => {
    const { uuid, search } = await shop('gone');
    const { database } = dashboard.service;
    const to = 'ann@gone.test';
    await insertEmails(database, [
      newEmail({ projectId: uuid, emailId: newUuid(), to: [to], recipients: [to] }),
    ]);
    const page = await dashboard.open(`/settings${search}`);
    await page.getByRole('button', { name: 'Erase a person', exact: true }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address', { exact: true }).fill('nobody');
    await page.keyboard.press('Enter');
    await dialog.locator('[aria-invalid=true]').waitFor();
    await checkAccess(page);
    await dialog.getByLabel('Address', { exact: true }).fill(to);
    await page.keyboard.press('Enter');
    await page.getByText('Erased: 1 email').waitFor();
    const rows = await database.selectFrom('emails').select('id').where('projectId', '=', uuid).execute();
    assert.equal(rows.length, 3);
    await page.context().close();
  });

  test('a warning shows which data a shorter retention period would delete', async () => {
    const { uuid, search } = await shop('beta');
    const page = await dashboard.open(`/settings${search}`);
    await page.getByLabel('Keep emails for (days)', { exact: true }).fill('0');
    await page.keyboard.press('Enter');
    await page.getByText('Enter a whole number from 1 to 36500, or leave it empty.').waitFor();
    await page.getByLabel('Keep emails for (days)', { exact: true }).fill('30');
    await page.getByLabel('Keep HTML and text for (days)', { exact: true }).fill('0');
    await page.keyboard.press('Enter');
    const alert = page.getByRole('alertdialog');
    await alert.getByText('HTML and text of 3 emails').waitFor();
    await checkAccess(page);
    await alert.getByRole('button', { name: 'Change', exact: true }).click();
    await page.getByText('Saved').waitFor();
    await soon(async () => {
      const { keepDays, keepBodiesDays } = await settingsOf(uuid);
      assert.deepEqual([keepDays, keepBodiesDays], [30, 0]);
    });
    await page.context().close();
  });

  test('a project is exported as a file, and deleted after its name was typed', async () => {
    const { uuid, search } = await shop('gamma');
    const page = await dashboard.open(`/settings${search}`);
    await page.getByRole('button', { name: 'Export project', exact: true }).click();
    await page.getByRole('dialog').getByText('3 emails').waitFor();
    await checkAccess(page);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download', exact: true }).click(),
    ]);
    assert.equal(download.suggestedFilename(), 'export.ndjson');
    // Wait until the dialog is closed, because elements behind a closing dialog cannot get the focus.
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Delete project', exact: true }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Delete the project gamma?', exact: true });
    await dialog.getByText('1 mailbox', { exact: true }).waitFor();
    await checkAccess(page);
    const button = dialog.getByRole('button', { name: 'Delete', exact: true });
    await soon(async () => assert.ok(await button.isDisabled()));
    await dialog.getByLabel('Type “gamma” to confirm', { exact: true }).fill('gamma');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === '/dashboard');
    await page.getByRole('heading', { level: 1 }).waitFor();
    const left = await dashboard.service.database
      .selectFrom('projects')
      .select('id')
      .where('id', '=', uuid)
      .execute();
    assert.deepEqual(left, []);
    await page.context().close();
  });

  test('an admin creates a project, and the new project opens', async () => {
    const page = await dashboard.open('/settings?tab=organization', { as: 'admin' });
    await page.getByRole('button', { name: 'New project', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('delta');
    await checkAccess(page);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Project delta' }).waitFor();
    await page.context().close();
  });

  test('an organization requires a second factor, which a member sets up by keyboard', async () => {
    const page = await dashboard.open('/account');
    const button = (on: Page, name: string) => on.getByRole('button', { name, exact: true });
    const setUp = async (on: Page) => {
      await button(on, 'Set up').focus();
      await on.keyboard.press('Enter');
      const dialog = on.getByRole('dialog', { name: 'Set up an authenticator app', exact: true });
      const secret = (await dialog.getByLabel('Secret', { exact: true }).textContent()) ?? '';
      await on.locator('input:focus').waitFor();
      await on.keyboard.type(new TOTP({ secret: secret.replaceAll(' ', '') }).generate());
      await on.keyboard.press('Enter');
      await on.getByText('Save your recovery codes').waitFor();
    };
    await page.goto('/dashboard/settings?tab=organization');
    const demand = async (choice: string) => {
      await page.getByRole('radio', { name: choice, exact: true }).check();
      // The notice of an earlier change may still be visible, so only the response shows that this change is saved.
      const answered = page.waitForResponse((answer) => answer.request().method() !== 'GET');
      await button(page, 'Save required sign-in').click();
      await answered;
    };
    await demand('Second factor or OpenID');
    await page.getByText(/would lock you out: set up a second factor first/).waitFor();
    await page.goto('/dashboard/account');
    await setUp(page);
    await page.goto('/dashboard/settings?tab=organization');
    await checkAccess(page);
    await demand('Second factor or OpenID');
    await page.getByText('Saved').last().waitFor();

    const member = await dashboard.open('/emails', { as: 'developer' });
    await member.getByRole('heading', { name: 'Additional sign-in step', exact: true, level: 1 }).waitFor();
    await member.getByText('You cannot open default until you use a second factor.').waitFor();
    await checkAccess(member);
    await isNarrow(member);
    await setUp(member);
    await checkAccess(member);
    await button(member, 'I saved them').click();
    await member.getByRole('heading', { name: 'Emails', exact: true, level: 1 }).waitFor();
    await member.context().close();

    await demand('Password');
    await page.getByText('Saved').last().waitFor();
    await page.context().close();
  });

  test('the usage page shows the usage of each limit', async () => {
    const { uuid, search } = await shop('epsilon');
    await dashboard.service.database
      .updateTable('projects')
      .set({ plan: 'free' })
      .where('id', '=', uuid)
      .execute();
    const page = await dashboard.open(`/usage${search}`, { viewport: { width: 390, height: 844 } });
    await page.getByRole('meter', { name: 'Emails this month', exact: true }).waitFor();
    await soon(async () =>
      assert.equal(
        await page.getByRole('meter', { name: 'Mailboxes', exact: true }).getAttribute('aria-valuetext'),
        '1 of 1',
      ),
    );
    await page.getByRole('slider', { name: /^The last 30 days: 3 emails/ }).waitFor();
    await isNarrow(page);
    await checkAccess(page);
    await page.context().close();
  });

  test('the audit log lists changes, and its filters are in the URL', async () => {
    const page = await dashboard.open('/settings?tab=organization');
    await page.getByLabel('Name', { exact: true }).fill('acme');
    await page.keyboard.press('Enter');
    await page.getByText('Saved').waitFor();
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    await page.getByRole('heading', { name: 'Audit log', exact: true, level: 1 }).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'Organization renamed' });
    await row.getByText('default').waitFor();
    await row.locator('ins').getByText('acme').waitFor();
    await checkAccess(page);
    await page.getByLabel('What', { exact: true }).selectOption('webhook');
    await page.getByRole('heading', { name: 'No matching changes', exact: true }).waitFor();
    await soon(async () => assert.equal(new URL(page.url()).searchParams.get('what'), 'webhook'));
    await page.getByRole('button', { name: 'Show all changes', exact: true }).click();
    await row.waitFor();
    await page.getByLabel('Who', { exact: true }).fill('nobody@');
    await page.getByRole('heading', { name: 'No matching changes', exact: true }).waitFor();
    await page.context().close();
  });

  test('a developer can read the settings, but can neither change settings nor read the audit log', async () => {
    const page = await dashboard.open('/settings', { as: 'developer', colorScheme: 'dark' });
    await page.getByText('Only owners and admins can change these settings.').waitFor();
    await soon(async () => assert.equal(await page.getByRole('checkbox', { disabled: false }).count(), 0));
    await soon(async () =>
      assert.equal(await page.getByRole('button', { name: /^(Rename|Save|Delete|Export)/ }).count(), 0),
    );
    await soon(async () =>
      assert.equal(await page.getByRole('link', { name: 'Audit log', exact: true }).count(), 0),
    );
    await checkAccess(page);
    await page.context().close();
  });
});
