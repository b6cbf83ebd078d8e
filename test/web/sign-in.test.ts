/** Signing in to the dashboard, and setting up sign-in methods on the account page. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, suite, test } from 'node:test';
import { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { invite } from '../../src/accounts/members/invitations.ts';
import { addMember } from '../../src/accounts/members/memberships.ts';
import { lockOrganization } from '../../src/accounts/organizations/organizations.ts';
import { quickHash } from '../support/quick-hash.ts';
import { beginSession } from '../../src/accounts/sessions.ts';
import { createUser } from '../../src/accounts/users.ts';
import { addAuthenticator } from '../support/authenticator.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { openDashboard, type OpenedDashboard, PASSWORD } from '../support/dashboard.ts';
import { checkAccess } from '../support/watched-page.ts';
import { ImapClient } from '../support/imap/client.ts';
import { serviceMailbox } from '../support/imap/service-mailbox.ts';
import type { Service } from '../support/service.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../support/openid-provider.ts';
import { soon } from '../support/soon.ts';

const STEP_MS = 30_000;

suite('sign-in to the dashboard', { skip: NO_BROWSER }, () => {
  let provider: OpenIdProvider;
  let dashboard: OpenedDashboard;
  before(async () => {
    provider = await startOpenIdProvider();
    dashboard = await openDashboard({
      env: {
        POSTHORN_OIDC_ISSUER: provider.issuer,
        POSTHORN_OIDC_CLIENT_ID: provider.clientId,
        POSTHORN_OIDC_CLIENT_SECRET: provider.clientSecret,
      },
    });
    provider.allow(`${dashboard.service.baseUrl}/dashboard/openid`);
  });
  after(async () => {
    await dashboard[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
    await page.goto('/dashboard/sign-in');
    await page.getByLabel('Email', { exact: true }).fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await button(page, 'Sign in').click();
  }

  test('without an owner, the sign-in page says where to find the link that creates the owner', async () => {
    const signInPage = await dashboard.open('/sign-in', { as: null });
    await heading(signInPage, 'Set up Posthorn').waitFor();
    await signInPage.getByText('/dashboard/welcome#').waitFor();
    for (const path of ['/', '/docs']) {
      const response = await fetch(dashboard.service.baseUrl + path);
      assert.match(await response.text(), /This server has no owner yet\./);
    }
    assert.equal(await signInPage.getByLabel('Password').count(), 0);
    await checkAccess(signInPage);
    const link = /http\S+\/dashboard\/welcome#[\w-]+/.exec(dashboard.service.output)?.[0] ?? '';
    const page = await dashboard.open('/welcome#wrong', { as: null });
    await heading(page, 'This link does not work').waitFor();
    await page.goto('about:blank');
    await page.goto(link);
    await heading(page, 'Welcome').waitFor();
    await checkAccess(page);
    await page.getByLabel('Name', { exact: true }).fill('Lin');
    await page.getByLabel('Email', { exact: true }).fill('lin@acme.example');
    const password = page.getByLabel('Password', { exact: true });
    await password.fill(PASSWORD);
    await page.getByRole('button', { name: 'Show what you type', pressed: false }).press('Enter');
    assert.equal(await password.getAttribute('type'), 'text');
    await page.getByLabel('Organization', { exact: true }).fill('Acme');
    await button(page, 'Create account').click();
    await heading(page, 'Start').waitFor();
    await page.goto('/dashboard/people');
    await page.getByText('Members of “Acme” and their roles.').waitFor();
    await page.context().close();
    await heading(signInPage, 'Sign in').waitFor();
    await signInPage.context().close();
  });

  test('an invited person creates an account, and ends an unknown session', async () => {
    const { service, organizationId } = dashboard;
    const inviter = { role: 'owner', name: 'Ada', isOperator: false } as const;
    const invited = { email: 'grace@acme.example', role: 'developer', seesBodies: false } as const;
    const { token } = await invite(service.database, organizationId, inviter, invited, null, async () => {});
    const page = await dashboard.open(`/invitation#${token}`, { as: null });
    await page.getByText('Ada invited grace@acme.example as a developer').waitFor();
    await checkAccess(page);
    await page.getByLabel('Name', { exact: true }).fill('Grace');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await button(page, 'Create account and join').click();
    await heading(page, 'Start').waitFor();
    const { id } = await service.database
      .selectFrom('users')
      .select('id')
      .where('email', '=', invited.email)
      .executeTakeFirstOrThrow();
    await beginSession(service.database, id, {
      address: '203.0.113.9',
      userAgent: 'Firefox/140.0 (Windows)',
    });
    await page.goto('/dashboard/account');
    const sessions = page.getByRole('list', { name: 'Sessions', exact: true }).getByRole('listitem');
    await button(page, 'Sign out Firefox on Windows at 203.0.113.9').click();
    await page.getByText('Session ended').waitFor();
    await soon(async () => assert.equal(await sessions.count(), 1));
    await page.context().close();
  });

  test('an authenticator app is set up by keyboard, and its codes and a recovery code are accepted', async () => {
    const page = await dashboard.open('/account', { as: 'admin' });
    await heading(page, 'Account').waitFor();
    await checkAccess(page);
    await button(page, 'Set up').focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Set up an authenticator app', exact: true });
    await dialog.getByRole('img', { name: 'QR code for the app', exact: true }).waitFor();
    const secret = (await dialog.getByLabel('Secret', { exact: true }).textContent()) ?? '';
    const codeAt = (step: number) =>
      new TOTP({ secret: secret.replaceAll(' ', '') }).generate({ timestamp: Date.now() + step * STEP_MS });
    await checkAccess(page);
    await page.locator('input:focus').waitFor();
    await page.keyboard.type(codeAt(-1));
    await page.keyboard.press('Enter');
    const list = page.getByRole('list', { name: 'Recovery codes', exact: true });
    await list.waitFor();
    const codes = await list.getByRole('listitem').allTextContents();
    assert.equal(codes.length, 10);
    await checkAccess(page);
    const downloaded = page.waitForEvent('download');
    await button(page, 'Download').click();
    assert.equal(await readFile(await (await downloaded).path(), 'utf8'), `${codes.join('\n')}\n`);
    await button(page, 'I saved them').click();

    const { email } = await dashboard.user('admin');
    await signIn(page, email);
    await heading(page, 'Two-factor authentication').waitFor();
    await checkAccess(page);
    await page.getByLabel('Code', { exact: true }).fill('000000');
    await page.keyboard.press('Enter');
    await page.getByText('The code is wrong').waitFor();
    await page.getByLabel('Code', { exact: true }).fill(codeAt(0));
    await page.keyboard.press('Enter');
    await heading(page, 'Start').waitFor();

    await signIn(page, email);
    await button(page, 'Use a recovery code').click();
    await page.getByLabel('Recovery code', { exact: true }).fill(codes[0] ?? '');
    await button(page, 'Continue').click();
    await heading(page, 'Start').waitFor();
    await page.context().close();
  });

  test('a passkey is added, accepted alone and as the second step, and removed', async () => {
    const page = await dashboard.open('/account', { as: 'developer' });
    await addAuthenticator(page);
    await button(page, 'Add passkey').click();
    await page.getByLabel('Name', { exact: true }).last().fill('Laptop');
    await button(page, 'Add').click();
    await page.getByRole('list', { name: 'Recovery codes', exact: true }).waitFor();
    await page.getByRole('list', { name: 'Passkeys', exact: true }).getByText('Laptop').waitFor();
    await checkAccess(page);

    await page.context().clearCookies();
    await page.goto('/dashboard/sign-in');
    await button(page, 'Use a passkey').click();
    await heading(page, 'Start').waitFor();

    const { email } = await dashboard.user('developer');
    await signIn(page, email);
    await heading(page, 'Two-factor authentication').waitFor();
    await button(page, 'Use a passkey').click();
    await heading(page, 'Start').waitFor();

    await page.context().clearCookies();
    await dashboard.signIn(page.context(), 'developer', { isUnconfirmed: true });
    await page.goto('/dashboard/account');
    await button(page, 'Create new codes').click();
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: 'Create new codes', exact: true })
      .click();
    const question = page.getByRole('dialog', { name: 'Confirm it’s you', exact: true });
    await question.getByRole('button', { name: 'Use a passkey', exact: true }).click();
    await page.getByRole('list', { name: 'Recovery codes', exact: true }).waitFor();
    await button(page, 'Remove Laptop').click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Passkey removed').waitFor();
    await signIn(page, email);
    await heading(page, 'Start').waitFor();
    await page.context().close();
  });

  test('a user of the OpenID provider is accepted only with a verified address that has an account', async () => {
    const { email } = await dashboard.user('viewer');
    for (const [login, isVerified, leadsTo] of [
      [email, false, /There is no account for/],
      ['stranger@elsewhere.example', true, /There is no account for/],
      [email, true, null],
    ] as const) {
      provider.isVerified = isVerified;
      const context = await dashboard.browser.newContext({ baseURL: dashboard.service.baseUrl });
      const page = await context.newPage();
      await page.goto('/dashboard/sign-in');
      await button(page, `Sign in with ${new URL(provider.issuer).host}`).click();
      await page.locator('input[name=login]').fill(login);
      await page.locator('input[name=password]').fill('anything');
      await page.locator('button[type=submit]').click();
      await page.getByText('Continue').click();
      if (leadsTo === null) await heading(page, 'Start').waitFor();
      else await page.getByText(leadsTo).waitFor();
      await context.close();
    }
    const identities = await dashboard.service.database.selectFrom('userIdentities').selectAll().execute();
    assert.deepEqual(
      identities.map(({ issuer, subject }) => [issuer, subject]),
      [[provider.issuer, email]],
    );
  });

  test('an OpenID response is rejected in a browser that did not start the sign-in', async () => {
    const page = await dashboard.open('/openid?code=stolen&state=guessed', { as: null });
    await page.getByText('This sign-in has expired').waitFor();
    await checkAccess(page);
    await page.context().close();
  });

  test('a link by email resets a forgotten password, and the second factor is still required', async () => {
    const { service, organizationId } = dashboard;
    const { user: email, password } = await serviceMailbox(service, 'frida');
    const passwordHash = quickHash(PASSWORD);
    await service.database.transaction().execute(async (tx) => {
      await lockOrganization(tx, organizationId);
      const user = { email, name: 'Frida', passwordHash, isOperator: false };
      await addMember(tx, organizationId, await createUser(tx, user), { role: 'viewer', seesBodies: false });
    });

    const page = await dashboard.open('/sign-in', { as: null });
    await signIn(page, email);
    await heading(page, 'Start').waitFor();
    await page.goto('/dashboard/account');
    await button(page, 'Set up').click();
    const dialog = page.getByRole('dialog', { name: 'Set up an authenticator app', exact: true });
    const secret = (await dialog.getByLabel('Secret', { exact: true }).textContent()) ?? '';
    const codeAt = (step: number) =>
      new TOTP({ secret: secret.replaceAll(' ', '') }).generate({ timestamp: Date.now() + step * STEP_MS });
    await dialog.locator('input').fill(codeAt(-1));
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Recovery codes', exact: true }).waitFor();

    await page.context().clearCookies();
    await page.goto('/dashboard/sign-in');
    await button(page, 'Forgot your password?').click();
    await page.getByLabel('Email', { exact: true }).fill(email);
    await button(page, 'Send link').click();
    await heading(page, 'Check your email').waitFor();
    await checkAccess(page);
    const link = await linkIn(service, email, password);
    await page.goto(link);
    await heading(page, 'New password').waitFor();
    await checkAccess(page);
    await page.getByLabel('New password', { exact: true }).fill('short');
    await button(page, 'Set password').click();
    await page
      .getByText(/must|at least/i)
      .first()
      .waitFor();
    await page.getByLabel('New password', { exact: true }).fill('another horse battery');
    await button(page, 'Set password').click();
    await heading(page, 'Two-factor authentication').waitFor();
    await page.getByLabel('Code', { exact: true }).fill(codeAt(0));
    await page.keyboard.press('Enter');
    await heading(page, 'Start').waitFor();
    await page.goto(link);
    await heading(page, 'This link does not work').waitFor();
    await page.context().close();
  });
});

/** Reads the reset link from the first message of the Inbox by IMAP. */
async function linkIn(service: Service, user: string, password: string): Promise<string> {
  using client = await ImapClient.signIn({ host: '127.0.0.1', port: service.imapPort, user, password });
  let text = '';
  client.onUntagged = (answer) => {
    // Rejoin long lines, which quoted-printable breaks (RFC 2045, section 6.7).
    text += answer.replaceAll(/=\r?\n/g, '');
  };
  const found = async () => {
    text = '';
    await client.command('SELECT INBOX');
    if (/1 EXISTS/.test(text)) await client.command('FETCH 1 BODY[TEXT]');
    return /\/dashboard\/reset#/.test(text);
  };
  await soon(async () => assert.ok(await found(), text));
  return /http\S+\/dashboard\/reset#[\w-]+/.exec(text)?.[0] ?? '';
}
