/** Signing in to and out of the web client. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { setPassword } from '../../src/mailboxes/set-password.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { openMailClient, type OpenedMailClient } from '../support/mail-client.ts';
import { checkAccess } from '../support/watched-page.ts';
import { soon } from '../support/soon.ts';

suite('sign-in to the web client', { skip: NO_BROWSER }, () => {
  let client: OpenedMailClient;
  before(async () => {
    client = await openMailClient();
  });
  after(() => client[Symbol.asyncDispose]());

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const item = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true });

  async function signIn(page: Page, address: string, password: string): Promise<void> {
    await page.getByLabel('Address', { exact: true }).fill(address);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await button(page, 'Sign in').click();
  }

  test('a sign-in with the address and the password of a mailbox opens the requested page', async () => {
    const { user, password } = await client.mailbox('ann');
    const page = await client.open(`/${encodeURIComponent(user)}/settings/account`, { as: null });
    await heading(page, 'Sign in to your mailbox').waitFor();
    await checkAccess(page);
    await soon(async () =>
      assert.equal(await page.getByLabel('Address', { exact: true }).inputValue(), user),
    );
    await signIn(page, user, 'wrong horse');
    await page.getByText('The address or the password is wrong.').waitFor();
    await signIn(page, 'nobody@elsewhere.example', password);
    await page.getByText('The address or the password is wrong.').waitFor();
    await signIn(page, user.toUpperCase(), password);
    await heading(page, 'Account').waitFor();
    await soon(async () => assert.match(page.url(), /\/settings\/account$/));
    await checkAccess(page);
    await page.context().close();
  });

  test('a sign-in opens the mailbox even if a session request from before the sign-in is answered afterwards', async () => {
    const { user, password } = await client.mailbox('quick');
    const page = await client.open('/sign-in', { as: null });
    await heading(page, 'Sign in to your mailbox').waitFor();
    const [fetched, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isFirst = true;
    await page.route('**/mail/api/session', async (route) => {
      if (route.request().method() !== 'GET' || !isFirst) return route.fallback();
      isFirst = false;
      const response = await route.fetch();
      fetched.resolve();
      await released.promise;
      // This fails if the page has aborted the request.
      await route.fulfill({ response }).catch(() => {});
    });
    await page.reload();
    await fetched.promise;
    const fetchedAgain = page.waitForRequest(
      (request) => request.method() === 'GET' && request.url().endsWith('/mail/api/session'),
    );
    await signIn(page, user, password);
    await fetchedAgain;
    released.resolve();
    await button(page, `Mailbox ${user}`).waitFor();
    await page.context().close();
  });

  test('a browser can be signed in to several mailboxes, and signs out of each separately', async () => {
    const [ann, bob] = [await client.mailbox('ann'), await client.mailbox('bob')];
    const page = await client.open('/inbox', { as: 'ann' });
    await button(page, `Mailbox ${ann.user}`).click();
    await item(page, 'Add mailbox').click();
    await signIn(page, bob.user, bob.password);
    await button(page, `Mailbox ${bob.user}`).click();
    await checkAccess(page);
    await item(page, ann.user).click();
    await button(page, `Mailbox ${ann.user}`).waitFor();
    for (const [key, { user }] of [
      ['2', bob],
      ['1', ann],
    ] as const) {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await button(page, `Mailbox ${user}`).waitFor();
    }
    await button(page, `Mailbox ${ann.user}`).click();
    await item(page, 'Sign out').click();
    await button(page, `Mailbox ${bob.user}`).waitFor();
    await page.goto(`/mail/${ann.user}/inbox`);
    await heading(page, 'Sign in to your mailbox').waitFor();
    await page.context().close();
  });

  test('a page that the browser restores after the session has ended is reloaded', async () => {
    const { user } = await client.mailbox('kept');
    await client.append('kept', 'Subject: Secret\r\n\r\nText.');
    const page = await client.open('/inbox', { as: 'kept' });
    await page.getByRole('link', { name: 'Secret' }).waitFor();
    await page.context().clearCookies();
    // The event of a page that the browser restores from the back/forward cache.
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
    await heading(page, 'Sign in to your mailbox').waitFor();
    assert.equal(await page.getByText('Secret').count(), 0);
    await soon(async () =>
      assert.equal(await page.getByLabel('Address', { exact: true }).inputValue(), user),
    );
    await page.context().close();
  });

  test('a changed password requires a new sign-in', async () => {
    const { mailbox, user, password } = await client.mailbox('carl');
    const page = await client.open('/settings/account', { as: 'carl' });
    await heading(page, 'Account').waitFor();
    await setPassword(client.service.database, mailbox, `${password} again`);
    await page.goto(`/mail/${user}/inbox`, { waitUntil: 'commit' });
    const isOut = async () => {
      const { accounts } = await (await page.request.get('/mail/api/session')).json();
      return accounts.length === 0;
    };
    await soon(async () => assert.ok(await isOut()));
    await page.reload();
    await heading(page, 'Sign in to your mailbox').waitFor();
    await page.context().close();
  });
});
