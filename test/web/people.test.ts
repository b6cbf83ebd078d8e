/** The people page: members of the organization and their invitations. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createApiKey } from '../../src/accounts/keys/api-keys.ts';
import { beginSession } from '../../src/accounts/sessions.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { openDashboard, type OpenedDashboard } from '../support/dashboard.ts';
import { checkAccess } from '../support/watched-page.ts';
import { soon } from '../support/soon.ts';

suite('people page', { skip: NO_BROWSER }, () => {
  let dashboard: OpenedDashboard;
  before(async () => {
    dashboard = await openDashboard();
    for (const role of ['owner', 'admin', 'developer', 'viewer'] as const) await dashboard.user(role);
  });
  after(() => dashboard[Symbol.asyncDispose]());

  const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
  /** Chooses an item from a person's menu by keyboard. */
  async function choose(page: Page, name: string, item: string): Promise<void> {
    await page.getByRole('button', { name: `More about ${name}`, exact: true }).focus();
    await page.keyboard.press('Enter');
    const focused = page.locator('[role=menuitem]:focus');
    await focused.waitFor();
    // Several items may begin with this letter; each press moves to the next item.
    for (let presses = 0; presses < 3; presses++) {
      await page.keyboard.press(item[0] ?? '');
      if ((await focused.textContent()) === item) break;
    }
    await page.keyboard.press('Enter');
  }

  test('a person is invited by keyboard with a link that opens the invitation, and the invitation is withdrawn', async () => {
    const page = await dashboard.open('/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await page.getByRole('heading', { name: 'People', exact: true, level: 1 }).waitFor();
    await checkAccess(page);
    await page.getByRole('button', { name: 'Invite', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Email', { exact: true }).fill('grace@acme.example');
    await page.getByRole('radio', { name: 'Viewer', exact: true }).focus();
    await page.keyboard.press('Space');
    await page.getByRole('checkbox', { name: 'Can see email contents', exact: true }).waitFor();
    await checkAccess(page);
    await page.keyboard.press('Enter');
    const url = await page.getByRole('textbox', { name: 'Link', exact: true }).inputValue();
    assert.match(url, /\/dashboard\/invitation#[\w-]{43}$/);
    await rowOf(page, 'grace@acme.example').waitFor();
    await checkAccess(page);
    const invited = await dashboard.open('/sign-in', { as: null });
    await invited.goto(url);
    await invited.getByText('grace@acme.example').waitFor();
    await invited.context().close();
    await page
      .getByRole('button', { name: 'Withdraw the invitation to grace@acme.example', exact: true })
      .click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw', exact: true }).click();
    await rowOf(page, 'grace@acme.example').waitFor({ state: 'hidden' });
    await page.context().close();
  });

  test('an owner confirms an invitation to a mailbox that others can read, and later creates a reset link', async () => {
    const { service } = dashboard;
    const { user: email } = await dashboard.mailbox('hedy');
    const page = await dashboard.open('/people?invite=yes', { as: 'admin' });
    await page.getByLabel('Email', { exact: true }).fill(email);
    await page.keyboard.press('Enter');
    const url = await page.getByRole('textbox', { name: 'Link', exact: true }).inputValue();
    await page.getByText('Pass on the link yourself.').waitFor();
    await checkAccess(page);
    await page.context().close();
    // Make the mailbox look like a mailbox of another organization.
    await service.database
      .updateTable('signInLinks')
      .set({ awaitsConfirmation: true })
      .where('email', '=', email)
      .execute();

    const invited = await dashboard.open('/sign-in', { as: null });
    await invited.goto(url);
    await invited.getByText('must confirm this invitation before you can join').waitFor();
    await checkAccess(invited);
    const owner = await dashboard.open('/people');
    await owner.getByRole('button', { name: `Confirm the invitation to ${email}`, exact: true }).focus();
    await checkAccess(owner);
    await owner.keyboard.press('Enter');
    const alert = owner.getByRole('alertdialog');
    await checkAccess(owner);
    await alert.getByRole('button', { name: 'Confirm', exact: true }).click();
    await owner.getByText('Needs owner confirmation').waitFor({ state: 'hidden' });

    await invited.reload();
    await invited.getByLabel('Name', { exact: true }).fill('Hedy');
    await invited.getByLabel('Password', { exact: true }).fill('correct horse battery');
    await invited.keyboard.press('Enter');
    await invited.getByRole('heading', { name: 'Start', exact: true, level: 1 }).waitFor();
    await invited.context().close();
    await owner.reload();
    await rowOf(owner, email).getByText('Not verified').waitFor();
    await checkAccess(owner);
    await choose(owner, 'Hedy', 'Create reset link');
    const dialog = owner.getByRole('dialog', { name: 'Reset password of Hedy', exact: true });
    await dialog.getByRole('button', { name: 'Create link', exact: true }).click();
    const link = await dialog.getByRole('textbox', { name: 'Link', exact: true }).inputValue();
    assert.match(link, /\/dashboard\/reset#[\w-]{43}$/);
    await checkAccess(owner);
    await owner.context().close();
  });

  test('the role of a member is changed, and a member, but not the last owner, is removed', async () => {
    const page = await dashboard.open('/people');
    await rowOf(page, 'Ada viewer').waitFor();
    await choose(page, 'Ada viewer', 'Change role');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: 'Developer', exact: true }).check();
    const { projectName } = dashboard;
    await dialog.getByLabel(projectName, { exact: true }).selectOption({ label: 'At most viewer' });
    await checkAccess(page);
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await rowOf(page, 'Ada viewer').getByText(`${projectName}: Viewer`).waitFor();
    await choose(page, 'Ada viewer', 'Remove');
    const alert = page.getByRole('alertdialog', { name: 'Remove Ada viewer from default?', exact: true });
    await alert.getByText(/the account is deleted/).waitFor();
    await checkAccess(page);
    await alert.getByRole('button', { name: 'Remove', exact: true }).click();
    await rowOf(page, 'Ada viewer').waitFor({ state: 'hidden' });
    await choose(page, 'Ada owner', 'Remove');
    await page
      .getByRole('alertdialog', { name: 'Leave default?', exact: true })
      .getByRole('button', { name: 'Leave', exact: true })
      .click();
    await page.getByText(/is the last owner/).waitFor();
    await page.context().close();
  });

  test('the API keys of a member who is removed are listed, and revoked on request', async () => {
    const { id } = await dashboard.user('admin');
    const { database } = dashboard.service;
    for (const name of ['Shop', 'Crawler'])
      await createApiKey(database, dashboard.projectUuid, name, ['emails:send'], { createdBy: id });
    const page = await dashboard.open('/people');
    await choose(page, 'Ada admin', 'Remove');
    const alert = page.getByRole('alertdialog', { name: 'Remove Ada admin from default?', exact: true });
    const crawler = `Crawler in ${dashboard.projectName}, last used never`;
    await alert.getByRole('listitem').filter({ hasText: crawler }).waitFor();
    await checkAccess(page);
    await alert.getByRole('checkbox', { name: 'Also revoke these 2 API keys', exact: true }).focus();
    await page.keyboard.press('Space');
    await alert.getByRole('button', { name: 'Remove', exact: true }).click();
    await rowOf(page, 'Ada admin').waitFor({ state: 'hidden' });
    const { length } = await database
      .selectFrom('apiKeys')
      .select('id')
      .where('createdBy', '=', id)
      .where('revokedAt', 'is not', null)
      .execute();
    assert.equal(length, 2);
    await page.context().close();
  });

  test('a session of a member is ended, and the second factor of a member is turned off', async () => {
    const { database } = dashboard.service;
    const { id } = await dashboard.user('developer');
    await beginSession(database, id, { address: '198.51.100.7', userAgent: 'Firefox/140.0 (Windows)' });
    await database
      .insertInto('userTotp')
      .values({ userId: id, secret: 'sealed', lastStep: 1, createdAt: new Date() })
      .execute();
    const page = await dashboard.open('/people');
    await choose(page, 'Ada developer', 'Sessions');
    await page.getByText('198.51.100.7').waitFor();
    await checkAccess(page);
    await page
      .getByRole('button', { name: 'Sign out Firefox on Windows at 198.51.100.7', exact: true })
      .click();
    await page.getByText('No active sessions.').waitFor();
    await page.keyboard.press('Escape');
    await rowOf(page, 'Ada developer').getByText('On', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'More about Ada developer', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Turn off second factor', exact: true }).click();
    await page
      .getByRole('alertdialog')
      .getByText(/They are notified by email/)
      .waitFor();
    await checkAccess(page);
    await page.getByRole('button', { name: 'Turn off', exact: true }).click();
    await rowOf(page, 'Ada developer').getByText('Off', { exact: true }).waitFor();
    await page.context().close();
  });

  test('a developer sees the members, but no actions', async () => {
    const page = await dashboard.open('/people', { as: 'developer', viewport: { width: 390, height: 844 } });
    await rowOf(page, 'Ada owner').waitFor();
    await soon(async () =>
      assert.equal(await page.getByRole('button', { name: /^(Invite|More about)/ }).count(), 0),
    );
    await soon(async () =>
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')),
    );
    await checkAccess(page);
    await page.context().close();
  });
});
