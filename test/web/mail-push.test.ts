/** Notifications through a push service, and the installed web client. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import type { Page, Worker } from 'playwright-core';
import { FLAG } from '../../src/store/flags.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { openMailClient, type OpenedMailClient } from '../support/mail-client.ts';
import { type PushBrowser, type PushService, startPushService } from '../support/push-service.ts';
import { soon } from '../support/soon.ts';
import { checkAccess } from '../support/watched-page.ts';

/** Chromium without a user interface calls notifications denied, although the test allows them. */
const ALLOWED = `Object.defineProperty(Notification, 'permission', { get: () => 'granted' });`;
/** It has no push service either, so its subscription is made by the test. */
const subscribesWith = ({ subscription: { endpoint, ...keys } }: PushBrowser) => `${ALLOWED} {
  let current = null;
  const from = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));
  PushManager.prototype.getSubscription = async () => current;
  PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
    current = {
      options: { applicationServerKey: from(applicationServerKey).buffer },
      toJSON: () => (${JSON.stringify({ endpoint, keys })}),
      unsubscribe: async () => { current = null; window.hasUnsubscribed = true; return true; },
    };
    return current;
  };
}`;

interface Shown {
  title: string;
  body: string;
  tag: string;
  actions?: { action: string }[];
}

suite('notifications of the web client through a push service', { skip: NO_BROWSER }, () => {
  let client: OpenedMailClient;
  let push: PushService;
  before(async () => {
    client = await openMailClient();
    push = await startPushService();
  });
  after(async () => {
    await push[Symbol.asyncDispose]();
    await client[Symbol.asyncDispose]();
  });

  const raw = (subject: string, from = 'Grace <grace@elsewhere.example>') =>
    `From: ${from}\r\nSubject: ${subject}\r\n\r\nAt noon?`;
  const state = (page: Page) =>
    page.getByText('Notifications arrive even if no page of the mailbox is open.');

  /**
   * Records notifications and the badge, and gives the worker events as the browser does. Chromium without a user interface crashes when it
   * shows a notification or a badge for a worker.
   */
  const RECORD = `
    self.shown = [];
    self.badges = [];
    ServiceWorkerRegistration.prototype.showNotification = async (title, options) => void self.shown.push({ title, ...options });
    navigator.setAppBadge = async (count) => void self.badges.push(count);
    self.give = async (type, fields) => {
      const work = [];
      self.dispatchEvent(Object.assign(new Event(type), fields, { waitUntil: (promise) => work.push(promise) }));
      await Promise.all(work);
    };`;

  /** Takes the notifications that the worker has shown. */
  const shown = (worker: Worker) => worker.evaluate<Shown[]>('self.shown');

  async function subscribed(localPart: string, choice: string) {
    const browser = push.newBrowser();
    await client.append(localPart, raw('Before'));
    const page = await client.open('/inbox', { as: localPart });
    await page.context().grantPermissions(['notifications']);
    await page.addInitScript(subscribesWith(browser));
    await page.goto(page.url().replace(/inbox.*/, 'settings/notifications'));
    await page.getByLabel(choice, { exact: true }).click();
    await state(page).waitFor();
    const worker = page.context().serviceWorkers()[0] ?? (await page.context().waitForEvent('serviceworker'));
    await worker.evaluate(RECORD);
    return { page, browser, worker };
  }

  /** Hands a decrypted message to the worker. */
  const deliver = (worker: Worker, message: unknown) =>
    worker.evaluate(`self.give('push', { data: { json: () => (${JSON.stringify(message)}) } })`);

  /** Chooses an action of the first notification, as a user does. */
  const choose = (worker: Worker, action: string) =>
    worker.evaluate(`{
      const { data } = self.shown.shift();
      self.give('notificationclick', { notification: { data, close() {} }, action: ${JSON.stringify(action)} });
    }`);

  test('new mail is pushed to the browser, and its notification archives the message', async () => {
    const { page, browser, worker } = await subscribed('pushed', 'New mail, with sender and subject');
    await checkAccess(page);
    await client.deliver('pushed', raw('Lunch'));
    await soon(async () => assert.equal(browser.messages().length, 1));
    const [message] = browser.messages();
    // While the user looks at the mailbox, nothing is shown.
    await page.bringToFront();
    await deliver(worker, message);
    assert.deepEqual(await shown(worker), []);
    assert.deepEqual(await worker.evaluate('self.badges'), [2]);
    // The mailbox is not open any more.
    await page.goto(`${client.service.baseUrl}/mail/sign-in`);
    await deliver(worker, message);
    await soon(async () =>
      assert.deepEqual(
        (await shown(worker)).map(({ title, body, tag, actions = [] }) => [
          title,
          body,
          tag,
          actions.map(({ action }) => action),
        ]),
        [['Grace', 'Lunch', message?.target?.conversation, ['archive', 'seen']]],
      ),
    );
    await choose(worker, 'archive');
    const { mailbox } = await client.mailbox('pushed');
    await soon(async () => {
      const { rows } = await sql<{ role: string }>`
        select f.role from messages m join folders f on f.id = m.folder_id where m.mailbox_id = ${mailbox.mailboxId}
        order by f.role`.execute(client.service.database);
      assert.deepEqual(
        rows.map(({ role }) => role),
        ['archive', 'inbox'],
      );
    });
    assert.deepEqual(await shown(worker), []);
    await page.context().close();
  });

  test('a notification marks its message as read, and says if that failed', async () => {
    const { page, browser, worker } = await subscribed('marked', 'New mail, without details');
    await client.deliver('marked', raw('Secret'));
    await soon(async () => assert.equal(browser.messages().length, 1));
    const [message] = browser.messages();
    await page.goto(`${client.service.baseUrl}/mail/sign-in`);
    await deliver(worker, message);
    const { user, mailbox } = await client.mailbox('marked');
    await soon(async () =>
      assert.deepEqual(
        (await shown(worker)).map(({ title, body }) => [title, body]),
        [['New mail', user]],
      ),
    );
    await choose(worker, 'seen');
    await soon(async () => {
      const { rows } = await sql<{ seen: boolean }>`
        select flags & ${FLAG.seen} <> 0 as seen from messages where mailbox_id = ${mailbox.mailboxId} order by uid desc limit 1`.execute(
        client.service.database,
      );
      assert.deepEqual(rows, [{ seen: true }]);
    });
    await client.service.database
      .deleteFrom('webSessions')
      .where('mailboxId', '=', mailbox.mailboxId)
      .execute();
    await soon(async () => {
      const { accounts } = (await (await page.request.get('/mail/api/session')).json()) as {
        accounts: object[];
      };
      assert.deepEqual(accounts, []);
    });
    await deliver(worker, message);
    await soon(async () => assert.equal((await shown(worker)).length, 1));
    await choose(worker, 'archive');
    await soon(async () =>
      assert.deepEqual(
        (await shown(worker)).map(({ title }) => title),
        ['Not archived'],
      ),
    );
    await page.context().close();
  });

  test('the test notification arrives, and turning notifications off or signing out ends the subscription', async () => {
    const { page, browser, worker } = await subscribed('ends', 'New mail, without details');
    await page.getByRole('button', { name: 'Send test notification' }).click();
    await page.getByText('The test notification was sent.').waitFor();
    assert.deepEqual(
      browser.messages().map(({ kind }) => kind),
      ['test'],
    );
    await deliver(worker, browser.messages()[0]);
    await soon(async () =>
      assert.deepEqual(
        (await shown(worker)).map(({ title }) => title),
        ['Notifications work'],
      ),
    );
    const { mailbox } = await client.mailbox('ends');
    const count = async () =>
      (
        await sql<{ count: number }>`
          select count(*)::int as count from push_subscriptions where mailbox_id = ${mailbox.mailboxId}`.execute(
          client.service.database,
        )
      ).rows[0]?.count;
    assert.equal(await count(), 1);
    await page.getByLabel('Off', { exact: true }).click();
    await soon(async () => assert.equal(await count(), 0));
    await soon(async () => assert.ok(await page.evaluate('window.hasUnsubscribed')));
    await page.getByLabel('New mail, without details', { exact: true }).click();
    await state(page).waitFor();
    assert.equal(await count(), 1);
    await page.getByRole('button', { name: /^Mailbox / }).click();
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in to your mailbox' }).waitFor();
    await soon(async () => assert.equal(await count(), 0));
    await page.context().close();
  });

  test('a browser without a push service falls back to notifications of open tabs, on a phone too', async () => {
    const page = await client.open('/inbox', { as: 'fallback', viewport: { width: 390, height: 844 } });
    await page.context().grantPermissions(['notifications']);
    await page.addInitScript(
      `${ALLOWED} PushManager.prototype.subscribe = async () => { throw new DOMException('', 'AbortError') }`,
    );
    await page.goto(page.url().replace(/inbox.*/, 'settings/notifications'));
    await page.getByLabel('New mail, without details', { exact: true }).click();
    await page.getByText('This browser could not subscribe to notifications').waitFor();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await checkAccess(page);
    await page.context().close();
  });

  test('the manifest and its icons are served, and the browser can install the web client', async () => {
    const page = await client.open('/inbox', { as: 'installs' });
    const cdp = await page.context().newCDPSession(page);
    const { url, errors, data } = await cdp.send('Page.getAppManifest');
    assert.equal(new URL(url).pathname, '/mail/manifest.webmanifest');
    assert.deepEqual(errors, []);
    const manifest = JSON.parse(data ?? '') as { icons: { src: string; sizes: string }[] };
    for (const { src } of [...manifest.icons, { src: '/mail/icon-apple.png' }]) {
      const response = await page.request.get(src);
      assert.deepEqual([response.status(), response.headers()['content-type']], [200, 'image/png'], src);
    }
    const { installabilityErrors } = await cdp.send('Page.getInstallabilityErrors');
    assert.deepEqual(
      installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito'),
      [],
    );
    // A shortcut, and a link of an email address.
    await page.goto(
      `${client.service.baseUrl}/mail/?compose=${encodeURIComponent('mailto:bo@elsewhere.example?subject=Boat')}`,
    );
    await soon(async () =>
      assert.equal(await page.getByLabel('Subject', { exact: true }).inputValue(), 'Boat'),
    );
    await page.context().close();
  });

  test('the page offers to install the web client when the browser does', async () => {
    const page = await client.open('/settings/notifications', { as: 'offered' });
    await page.getByLabel('Off', { exact: true }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Install Posthorn' }).count(), 0);
    await page.evaluate(`window.dispatchEvent(Object.assign(new Event('beforeinstallprompt'), {
      prompt: async () => ({ outcome: 'accepted' }) }))`);
    await page.getByRole('button', { name: 'Install Posthorn' }).click();
    await soon(async () =>
      assert.equal(await page.getByRole('button', { name: 'Install Posthorn' }).count(), 0),
    );
    await page.context().close();
  });
});
