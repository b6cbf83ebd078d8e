/** Touch gestures and notifications in the web client. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER } from '../support/browser.ts';
import { type OpenedMailClient, openMailClient } from '../support/mail-client.ts';
import { soon } from '../support/soon.ts';

const PHONE = { viewport: { width: 390, height: 844 }, context: { hasTouch: true, isMobile: true } };
/** A script that records notifications instead of showing them. A string because the script runs in the browser. */
const RECORD_NOTIFICATIONS = `{
  // Private windows, which tests use, cannot subscribe (mail-push.test.ts).
  delete window.PushManager;
  window.notified = [];
  document.hasFocus = () => false;
  window.Notification = class extends EventTarget {
    static permission = 'granted';
    static requestPermission = async () => 'granted';
    constructor(title, { body }) { super(); this.text = title + ': ' + body; window.notified.push(this); }
    close() {}
  };
}`;

/**
 * Imitates a browser in which only an offline copy's worker shows notifications. The worker exists if local storage
 * has `worker`.
 */
const NOTIFY_BY_WORKER = `{
  Object.assign(window.Notification, { permission: 'default' });
  window.Notification = new Proxy(window.Notification, {
    construct() { throw new TypeError('Illegal constructor.'); },
  });
  const showNotification = async (title, { body, data }) => window.notified.push({ text: title + ': ' + body, ...data });
  navigator.serviceWorker.getRegistration = async () => (localStorage.getItem('worker') === null ? undefined : { showNotification });
}`;

suite('touch gestures and notifications in the web client', { skip: NO_BROWSER }, () => {
  let client: OpenedMailClient;
  before(async () => {
    client = await openMailClient();
  });
  after(() => client[Symbol.asyncDispose]());

  const raw = (subject: string) =>
    `From: Grace <grace@src.test>\r\nSubject: ${subject}\r\nMessage-ID: <${Math.random()}@src.test>\r\n\r\nText.\r\n`;
  const row = (page: Page, name: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('link', { name }) });

  /** Moves a finger from the first point through the other points. */
  async function drag(page: Page, ...points: readonly { x: number; y: number }[]): Promise<void> {
    const devTools = await page.context().newCDPSession(page);
    for (const [at, point] of points.entries())
      await devTools.send('Input.dispatchTouchEvent', {
        type: at === 0 ? 'touchStart' : 'touchMove',
        touchPoints: [point],
      });
    await devTools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await devTools.detach();
  }
  async function swipe(page: Page, name: string, side: 'left' | 'right'): Promise<void> {
    const box = await row(page, name).boundingBox();
    assert.ok(box !== null);
    const y = box.y + box.height / 2;
    const xs = [60, 90, 130, 180, 230];
    await drag(page, ...(side === 'right' ? xs : xs.toReversed()).map((x) => ({ x, y })));
  }

  test('on a phone, Back closes the reply, then the message', async () => {
    await client.append('back', raw('Lunch'));
    const page = await client.open('/inbox', { as: 'back', ...PHONE });
    await page.getByRole('link', { name: 'Lunch' }).tap();
    const message = page.getByRole('article');
    await message.getByRole('button', { name: 'Reply (r)', exact: true }).tap();
    const text = page.getByRole('textbox', { name: 'Message', exact: true });
    await text.fill('At noon.');
    await page.goBack();
    await text.waitFor({ state: 'detached' });
    await message.getByText('Text.').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Lunch' }).waitFor();
    assert.match(page.url(), /\/inbox$/);
    // The reply was saved as a draft.
    await page.goto(page.url().replace(/inbox$/, 'drafts'));
    await page.getByRole('link', { name: 'Lunch' }).waitFor();
    await page.context().close();
  });

  test('on a phone, pulling the list down fetches new mail', async () => {
    await client.append('pulls', raw('Lunch'));
    const page = await client.open('/inbox', { as: 'pulls', ...PHONE });
    await row(page, 'Lunch').waitFor();
    await page.waitForLoadState('networkidle');
    const requested = page.waitForRequest((request) => /\/conversations\?/.test(request.url()));
    await drag(page, ...[200, 240, 300, 360, 420].map((y) => ({ x: 190, y })));
    await requested;
    await row(page, 'Lunch').waitFor();
    await page.context().close();
  });

  test('a swipe runs the action that the user selected, a second swipe removes a mark, and None has no effect', async () => {
    await client.append('swipes', [raw('Stays'), raw('Spam'), raw('Lunch')]);
    const page = await client.open('/settings/reading', { as: 'swipes', ...PHONE });
    const base = page.url().replace(/settings.*/, '');
    async function set(left: string, right: string): Promise<void> {
      await page.goto(`${base}settings/reading`);
      for (const [label, value] of [
        ['Swipe left', left],
        ['Swipe right', right],
      ] as const) {
        const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH');
        await page.getByLabel(label).selectOption(value);
        await saved;
      }
      await page.goto(`${base}inbox`);
      await row(page, 'Stays').waitFor();
    }
    await set('star', 'seen');
    await swipe(page, 'Lunch', 'left');
    await row(page, 'Lunch').getByRole('button', { name: 'Remove star' }).waitFor();
    await swipe(page, 'Lunch', 'left');
    await row(page, 'Lunch').getByRole('button', { name: 'Star', exact: true }).waitFor();
    await swipe(page, 'Lunch', 'right');
    await page.getByRole('link', { name: 'Lunch', exact: true }).waitFor();
    await swipe(page, 'Lunch', 'right');
    await page.getByRole('link', { name: 'Unread: Lunch', exact: true }).waitFor();
    await set('junk', 'none');
    await swipe(page, 'Stays', 'right');
    await swipe(page, 'Spam', 'left');
    await row(page, 'Spam').waitFor({ state: 'detached' });
    await row(page, 'Stays').waitFor();
    await page.goto(`${base}junk`);
    await row(page, 'Spam').waitFor();
    await page.context().close();
  });

  test('a swipe before the settings are loaded takes effect after they are loaded', async () => {
    await client.append('early', [raw('Stays'), raw('Lunch')]);
    const page = await client.open('/settings/reading', { as: 'early', ...PHONE });
    await page.getByLabel('Swipe left').selectOption('star');
    await page.getByText('Saved').waitFor();
    const released = Promise.withResolvers<void>();
    await page.route('**/settings', async (route) => {
      await released.promise;
      await route.continue();
    });
    await page.goto(page.url().replace(/settings.*/, 'inbox'));
    await row(page, 'Lunch').waitFor();
    await swipe(page, 'Lunch', 'left');
    released.resolve();
    await row(page, 'Lunch').getByRole('button', { name: 'Remove star' }).waitFor();
    await page.context().close();
  });

  test('a page in the background shows notifications with the chosen detail, and a click opens the message', async () => {
    await client.append('notified', raw('Before'));
    const page = await client.open('/settings/notifications', { as: 'notified' });
    await page.addInitScript(RECORD_NOTIFICATIONS);
    const base = page.url().replace(/settings.*/, '');
    const notified = (...texts: string[]) =>
      soon(async () =>
        assert.deepEqual(await page.evaluate<string[]>('notified.map(({ text }) => text)'), texts),
      );
    /** Opens the Inbox, and waits until the page has read the messages that are not new. */
    async function begin(choice: string): Promise<void> {
      await page.goto(`${base}settings/notifications`);
      await page.getByLabel(choice).check();
      // After this navigation, the previous page receives no responses.
      await page.goto(`${base}inbox`, { waitUntil: 'commit' });
      const isKnown = page.waitForResponse((answer) => /[?&]limit=10(?:&|$)/.test(answer.url()));
      await row(page, 'Before').waitFor();
      // Mail that arrives before the page has read the whole response is not new to the page.
      await (await isKnown).finished();
      await page.evaluate('new Promise((resolve) => setTimeout(resolve))');
    }
    const { user } = await client.mailbox('notified');
    await begin('New mail, without details');
    await client.append('notified', raw('Secret'));
    await notified(`New mail: ${user}`);
    await begin('New mail, with sender and subject');
    await client.append('notified', raw('Lunch'));
    await notified('Grace: Lunch');
    await page.evaluate(`notified[0].dispatchEvent(new Event('click'))`);
    await page.locator('h1', { hasText: 'Lunch' }).waitFor();

    // From here on, only service workers can show notifications.
    await page.addInitScript(NOTIFY_BY_WORKER);
    await page.goto(`${base}settings/notifications`);
    await page.getByLabel('New mail, without details').click();
    await page.getByRole('alert').filter({ hasText: 'only with an offline copy' }).waitFor();
    await page.evaluate(`localStorage.setItem('worker', '')`);
    await begin('New mail, without details');
    await client.append('notified', raw('Boat'));
    await notified(`New mail: ${user}`);
    const data = await page.evaluate<{ path: string }>('notified[0]');
    await page.goto(`${base}sent`);
    await page.locator('h1', { hasText: 'Sent' }).waitFor();
    // The page handles the worker's message only after all its code has loaded.
    await soon(async () => {
      await page.evaluate(
        `navigator.serviceWorker.dispatchEvent(new MessageEvent('message', { data: ${JSON.stringify(data)} }))`,
      );
      assert.equal(await page.locator('h1', { hasText: 'Boat' }).count(), 1);
    });
    assert.equal(new URL(page.url()).pathname.replace('@', '%40'), data.path);
    await page.context().close();
  });
});
