/** The account page of a mailbox: passwords, second factors, sessions. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { addAuthenticator } from '../support/authenticator.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { ImapClient } from '../support/imap/client.ts';
import { openMailClient, type OpenedMailClient } from '../support/mail-client.ts';
import { checkAccess } from '../support/watched-page.ts';
import { soon } from '../support/soon.ts';

const STEP_MS = 30_000;
const NARROW = { width: 360, height: 740 };

suite('account page of a mailbox', { skip: NO_BROWSER }, () => {
  let client: OpenedMailClient;
  before(async () => {
    client = await openMailClient();
  });
  after(() => client[Symbol.asyncDispose]());

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  async function account(as: string, viewport?: { width: number; height: number }): Promise<Page> {
    const page = await client.open('/settings/account', { as, ...(viewport && { viewport }) });
    await heading(page, 'Account').waitFor();
    await button(page, 'Change password').waitFor();
    return page;
  }

  async function signIn(page: Page, as: string, password?: string): Promise<void> {
    const mailbox = await client.mailbox(as);
    await page.context().clearCookies();
    await page.goto(`/mail/sign-in?return=/mail/${mailbox.user}/settings/account`);
    await page.getByLabel('Address', { exact: true }).fill(mailbox.user);
    await page.getByLabel('Password', { exact: true }).fill(password ?? mailbox.password);
    await button(page, 'Sign in').click();
  }

  async function opens(as: string, password: string): Promise<boolean> {
    const { user } = await client.mailbox(as);
    try {
      using app = await ImapClient.signIn({
        host: '127.0.0.1',
        port: client.service.imapPort,
        user,
        password,
      });
      return app !== undefined;
    } catch {
      return false;
    }
  }

  test('an authenticator app is set up by keyboard, and mail apps then need app passwords', async () => {
    const page = await account('ann', NARROW);
    await checkAccess(page);
    await button(page, 'Set up').focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Set up an authenticator app', exact: true });
    await dialog.getByRole('img', { name: 'QR code for the app', exact: true }).waitFor();
    const secret = (await dialog.getByLabel('Secret', { exact: true }).textContent()) ?? '';
    const totp = new TOTP({ secret: secret.replaceAll(' ', '') });
    const codeAt = (step: number) => totp.generate({ timestamp: Date.now() + step * STEP_MS });
    await page.locator('input:focus').waitFor();
    // The service accepts this code even if the next time step begins before the code arrives.
    await page.keyboard.type(codeAt(0));
    await page.keyboard.press('Enter');
    const codes = page.getByRole('list', { name: 'Recovery codes', exact: true });
    await codes.waitFor();
    const [recoveryCode = ''] = await codes.getByRole('listitem').allTextContents();
    await checkAccess(page);
    await button(page, 'I saved them').click();

    await button(page, 'Create app password').click();
    await page.getByLabel('Name', { exact: true }).fill('Phone');
    await button(page, 'Create').click();
    const appPassword = (await page.getByLabel('App password', { exact: true }).textContent()) ?? '';
    await button(page, 'Done').click();
    const { password } = await client.mailbox('ann');
    assert.deepEqual([await opens('ann', password), await opens('ann', appPassword)], [false, true]);
    await button(page, 'Revoke Phone').click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('Phone revoked').waitFor();
    assert.equal(await opens('ann', appPassword), false);

    await signIn(page, 'ann');
    await heading(page, 'Two-factor authentication').waitFor();
    await checkAccess(page);
    await page.getByLabel('Code', { exact: true }).fill('000000');
    await page.keyboard.press('Enter');
    await page.getByText('The code is wrong').waitFor();
    await page.getByLabel('Code', { exact: true }).fill(codeAt(1));
    await page.keyboard.press('Enter');
    await heading(page, 'Account').waitFor();
    await signIn(page, 'ann');
    await button(page, 'Use a recovery code').click();
    await page.getByLabel('Recovery code', { exact: true }).fill(recoveryCode);
    await button(page, 'Continue').click();
    await heading(page, 'Account').waitFor();
    await page.context().close();
  });

  test('a passkey works alone, as the second step of a sign-in, and to confirm an action', async () => {
    const page = await account('bob');
    await addAuthenticator(page);
    await button(page, 'Add passkey').click();
    await page.getByLabel('Name', { exact: true }).fill('Laptop');
    await button(page, 'Add').click();
    await page.getByRole('list', { name: 'Passkeys', exact: true }).getByText('Laptop').waitFor();
    await page.context().clearCookies();
    await page.goto('/mail/sign-in');
    await button(page, 'Use a passkey').click();
    await button(page, `Mailbox ${(await client.mailbox('bob')).user}`).waitFor();
    await signIn(page, 'bob');
    await heading(page, 'Two-factor authentication').waitFor();
    await button(page, 'Use a passkey').click();
    await heading(page, 'Account').waitFor();

    await client.service.database
      .updateTable('webSessions')
      .set({ confirmedAt: new Date(Date.now() - 3_600_000) })
      .where('mailboxId', '=', (await client.mailbox('bob')).mailbox.mailboxId)
      .execute();
    await soon(async () => {
      const { accounts } = await (await page.request.get('/mail/api/session')).json();
      assert.ok(Date.parse(accounts[0].confirmed_until) < Date.now());
    });
    await button(page, 'Create new codes').click();
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: 'Create new codes', exact: true })
      .click();
    const question = page.getByRole('dialog', { name: 'Confirm it’s you', exact: true });
    await question.waitFor();
    await checkAccess(page);
    await question.getByRole('button', { name: 'Use a passkey', exact: true }).click();
    await page.getByRole('list', { name: 'Recovery codes', exact: true }).waitFor();
    await button(page, 'Remove Laptop').click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Passkey removed').waitFor();
    await signIn(page, 'bob');
    await heading(page, 'Account').waitFor();
    await page.context().close();
  });

  test('the open sessions are listed, and changing the password ends the session of another browser', async () => {
    const [page, other] = [await account('carl'), await account('carl')];
    const { user, password } = await client.mailbox('carl');
    using app = await ImapClient.signIn({
      host: '127.0.0.1',
      port: client.service.imapPort,
      user,
      password,
    });
    assert.ok(app !== undefined);
    await page.getByRole('list', { name: 'Mail apps', exact: true }).getByText('IMAP').waitFor();
    await soon(async () =>
      assert.equal(
        await page.getByRole('list', { name: 'Sessions', exact: true }).getByRole('listitem').count(),
        2,
      ),
    );
    await button(page, 'Change password').click();
    await page.getByLabel('Current password', { exact: true }).fill('wrong horse battery');
    await page.getByLabel('New password', { exact: true }).fill('another horse battery');
    await button(page, 'Change').click();
    await page.getByText('The password is wrong.').waitFor();
    await page.getByLabel('Current password', { exact: true }).fill(password);
    await button(page, 'Change').click();
    await page.getByText('Password changed').waitFor();
    await heading(other, 'Sign in to your mailbox').waitFor();
    await page.reload();
    await heading(page, 'Account').waitFor();
    await page.context().close();
    await other.context().close();
  });
});
