/** The list of conversations in the web client: new mail, actions on mail, and their effect in other sessions. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { ImapFlow } from 'imapflow';
import type { Page } from 'playwright-core';
import { NO_BROWSER } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { type OpenedMailClient, openMailClient } from '../support/mail-client.ts';
import { checkAccess, whereItRests } from '../support/watched-page.ts';
import { soon } from '../support/soon.ts';
import { stopSending } from '../support/stop-sending.ts';

const PATIENCE_MS = 60_000;
const NARROW = { width: 390, height: 844 };
const MILLION = 1_000_000;
/** Replaces responses of the service, because storing a million conversations takes too long. A string because it runs in the browser. */
const ANSWER_A_MILLION = `{
  const ask = window.fetch;
  const rowAt = (index) => ({
    id: 'thr_' + index,
    folder: null,
    subject: 'Row ' + index,
    preview: 'What it says',
    messages: 1,
    unread: 0,
    starred: 0,
    answered: false,
    has_file: false,
    has_draft: false,
    from: [{ name: 'Ann', address: 'a@src.test', unread: false }],
    to: [],
    message_ids: [],
    newest_at: new Date(1.7e12 - index * 1000).toISOString(),
  });
  window.fetch = async (request) => {
    const url = new URL(request.url);
    const answer = await ask(request);
    if (url.pathname.endsWith('/conversations')) {
      const first_row = Number(url.searchParams.get('at'));
      const data = Array.from({ length: Math.min(50, ${MILLION} - first_row) }, (_, n) => rowAt(first_row + n));
      return Response.json({ ...(await answer.json()), data, first_row, total: ${MILLION} });
    }
    return answer;
  };
}`;
/** The rows that are completely visible, and the number of rows in the document. */
const SEEN = `(() => {
  const list = document.querySelector('[data-scroller]').getBoundingClientRect();
  const rows = [...document.querySelectorAll('[data-row]')];
  return { rendered: rows.length, rows: rows
    .filter((row) => row.getBoundingClientRect().top >= list.top && row.getBoundingClientRect().bottom <= list.bottom)
    .map((row) => ({ index: Number(row.dataset.row), name: row.querySelector('a')?.textContent })) };
})()`;
interface Seen {
  rendered: number;
  rows: { index: number; name?: string }[];
}

suite('list of the web client', { skip: NO_BROWSER }, () => {
  let client: OpenedMailClient;
  before(async () => {
    client = await openMailClient();
  });
  after(() => client[Symbol.asyncDispose]());

  const message = (subject: string, from = 'Grace Hopper <grace@src.test>', more = '') =>
    `From: ${from}\r\nSubject: ${subject}\r\nDate: Mon, 3 Nov 2025 10:00:00 +0000\r\nMessage-ID: <${Math.random()}@src.test>\r\n${more}\r\nWhat ${subject} says.\r\n`;
  /** The list item of a conversation. The name of its link may begin with a state, such as "Unread: ". */
  const row = (page: Page, name: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('link', { name }) });
  const nothingOpen = (page: Page) =>
    page.getByRole('heading', { name: 'No conversation selected', exact: true });
  const titled = (page: Page, holds: (title: string) => boolean) =>
    soon(async () => {
      const title = await page.title();
      assert.ok(holds(title), title);
    });
  const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent');

  async function inMailApp<Result>(
    localPart: string,
    work: (app: ImapFlow) => Promise<Result>,
  ): Promise<Result> {
    const { user, password: pass } = await client.mailbox(localPart);
    const app = new ImapFlow({
      host: '127.0.0.1',
      port: client.service.imapPort,
      secure: false,
      logger: false,
      auth: { user, pass },
    });
    await app.connect();
    try {
      return await work(app);
    } finally {
      await app.logout();
    }
  }

  test('every page shows a banner while sending is stopped', async () => {
    await using _ = await stopSending(client.service);
    for (const path of ['/inbox', '/settings/account']) {
      const page = await client.open(path);
      const line = page.getByRole('status').filter({ hasText: /^Sending stopped / });
      await line.getByText(/Your messages are queued but not sent until/).waitFor();
      await checkAccess(page);
      await page.context().close();
    }
  });

  test('an empty Inbox shows the address of the mailbox', async () => {
    const page = await client.open('/inbox', { as: 'empty' });
    await page.getByRole('heading', { name: 'The Inbox is empty', exact: true }).waitFor();
    const { user } = await client.mailbox('empty');
    await page.getByRole('main').getByText(user).waitFor();
    const folders = page.getByRole('navigation', { name: 'Folders', exact: true });
    for (const name of ['Inbox', 'Drafts', 'Sent', 'Archive', 'Junk', 'Trash'])
      await folders.getByRole('link', { name }).waitFor();
    await checkAccess(page);
    await page.context().close();
  });

  test('new mail and actions appear at once in two browsers and a mail app', async () => {
    const [one, other] = await Promise.all([
      client.open('/inbox', { as: 'live' }),
      client.open('/inbox', { as: 'live' }),
    ]);
    await client.append(
      'live',
      ['Lunch', 'Invoice', 'Report'].map((subject) => message(subject)),
    );
    for (const page of [one, other]) {
      await row(page, 'Unread: Report').waitFor();
      await titled(page, (title) => title.startsWith('(3) Inbox'));
    }
    await row(one, 'Invoice').getByRole('checkbox').check();
    await one.getByRole('toolbar').getByRole('button', { name: 'Archive', exact: true }).click();
    // The notice stays while the pointer is over it, so Undo remains available.
    await one.getByText('1 conversation archived').hover();
    await row(other, 'Invoice').waitFor({ state: 'detached' });
    const inArchive = () => inMailApp('live', async (app) => app.status('Archive', { messages: true }));
    await soon(async () => assert.equal(Object(await inArchive()).messages, 1));
    await one.getByRole('button', { name: 'Undo', exact: true }).click();
    await row(other, 'Invoice').waitFor();
    await soon(async () => assert.equal(Object(await inArchive()).messages, 0));

    await inMailApp('live', async (app) => {
      const lock = await app.getMailboxLock('INBOX');
      await app.messageFlagsAdd('1:2', ['\\Seen']);
      await app.messageFlagsAdd('1', ['\\Flagged']);
      lock.release();
    });
    for (const page of [one, other]) {
      await titled(page, (title) => title.startsWith('(1) Inbox'));
      await row(page, 'Lunch').getByRole('button', { name: 'Remove star', exact: true }).waitFor();
    }
    for (const page of [one, other]) await page.context().close();
  });

  test('keyboard shortcuts move along the list, open conversations, act on conversations and go back', async () => {
    await client.append(
      'keys',
      ['First', 'Second', 'Third', 'Fourth'].map((subject) => message(subject)),
    );
    const page = await client.open('/inbox', { as: 'keys' });
    await row(page, 'Fourth').waitFor();
    for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key);
    await soon(async () => assert.equal(await focused(page), 'Unread: Third'));
    await page.keyboard.press('s');
    await row(page, 'Third').getByRole('button', { name: 'Remove star', exact: true }).waitFor();
    await page.keyboard.press('e');
    await row(page, 'Third').waitFor({ state: 'detached' });
    await soon(async () => assert.equal(await focused(page), 'Unread: Second'));
    await page.keyboard.press('z');
    await row(page, 'Third').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('h1:focus', { hasText: 'Second' }).waitFor();
    await page.keyboard.press('j');
    await page.locator('h1:focus', { hasText: 'First' }).waitFor();
    await page.keyboard.press('#');
    await page.locator('h1:focus', { hasText: 'Second' }).waitFor();
    await page.keyboard.press('u');
    await nothingOpen(page).waitFor();
    await soon(async () => assert.match(await focused(page), /Second$/));
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    await page.getByRole('combobox', { name: 'Folder', exact: true }).fill('tra');
    await page.keyboard.press('Enter');
    await row(page, 'First').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page
      .getByRole('dialog', { name: 'Keyboard shortcuts', exact: true })
      .waitFor({ state: 'detached' });
    await page.keyboard.press('j');
    await page.keyboard.press('#');
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: 'Delete permanently', exact: true })
      .click();
    await page.getByRole('heading', { name: 'The Trash is empty', exact: true }).waitFor();
    await page.context().close();
  });

  test('keys for the next conversation take effect even if pressed while the list or the row is loading', async () => {
    await client.append(
      'steps',
      Array.from({ length: 52 }, (_, n) => message(`Letter ${n}.`)),
    );
    const page = await client.open('/inbox', { as: 'steps' });
    await row(page, 'Letter 51.').waitFor();
    const [head, below] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let last = '';
    await page.route('**/conversations?*', async (route) => {
      const response = await route.fetch();
      const { data, first_row: first } = await response.json();
      last = Object(data.at(-1)).id;
      await (first === 0 ? head : below).promise;
      await route.fulfill({ response });
    });
    const requested = page.waitForRequest(/\/conversations\?/);
    await page.reload();
    await requested;
    await soon(async () => assert.notEqual(last, ''));
    await page.goto(`${page.url()}/${last}`);
    const heading = (subject: string) => page.locator('h1:focus', { hasText: subject }).waitFor();
    await heading('Letter 2.');
    // Press the key before the list has loaded. Once the list has loaded, the next row is still missing.
    await page.keyboard.press('j');
    head.resolve();
    await row(page, 'Letter 2.').waitFor();
    await heading('Letter 2.');
    below.resolve();
    await heading('Letter 1.');
    // Two keys follow each other faster than a conversation is rendered.
    await page.evaluate(`for (let times = 0; times < 2; times++)
      document.dispatchEvent(new KeyboardEvent('keydown', { key: 'k' }))`);
    await heading('Letter 3.');
    await page.context().close();
  });

  test('a key applies to the focused row, immediately and after new mail was added above', async () => {
    await client.append('focus', [message('First'), message('Second'), message('Third')]);
    const page = await client.open('/inbox', { as: 'focus' });
    await row(page, 'Third').waitFor();
    // The key is pressed before the focus is rendered.
    await page.evaluate(`document.querySelector('[data-row="1"] a').focus();
      document.dispatchEvent(new KeyboardEvent('keydown', { key: 's' }))`);
    await row(page, 'Second').getByRole('button', { name: 'Remove star', exact: true }).waitFor();
    await client.append('focus', message('Fourth'));
    await row(page, 'Fourth').waitFor();
    await page.keyboard.press('e');
    await row(page, 'Second').waitFor({ state: 'detached' });
    await soon(async () => assert.equal(await focused(page), 'Unread: First'));
    for (const subject of ['First', 'Third', 'Fourth']) await row(page, subject).waitFor();
    await page.context().close();
  });

  test('all conversations, including rows not loaded, are moved to a folder that is found by typing', async () => {
    await inMailApp('bulk', (app) => app.mailboxCreate('Customers/North'));
    await client.append(
      'bulk',
      Array.from({ length: 60 }, (_, n) => message(`Order ${n}`)),
    );
    const page = await client.open('/inbox', { as: 'bulk' });
    await row(page, 'Order 59').waitFor();
    await row(page, 'Order 59').getByRole('checkbox').click();
    await row(page, 'Order 56')
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] });
    await page.getByText('4 selected').waitFor();
    await page.keyboard.press('v');
    await page.getByRole('combobox', { name: 'Folder', exact: true }).fill('north');
    await page.keyboard.press('Enter');
    await row(page, 'Order 59').waitFor({ state: 'detached' });
    await page.keyboard.press('*');
    await page.keyboard.press('a');
    await page.getByText('All 56 selected').waitFor();
    await page.getByRole('toolbar').getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByRole('heading', { name: 'The Inbox is empty', exact: true }).waitFor();
    const folders = page.getByRole('navigation', { name: 'Folders', exact: true });
    await folders.getByRole('link', { name: 'North' }).click();
    await row(page, 'Order 56').waitFor();
    await page.keyboard.press('z');
    await folders.getByRole('link', { name: 'Inbox' }).click();
    await row(page, 'Order 55').waitFor();
    await page.context().close();
  });

  test('the search runs while the user types, its text is in the URL, and its errors are reported', async () => {
    await client.append('search', [
      message('Invoice for October', 'Ann <ann@dst.test>'),
      message('Invoice for November', 'Ben <ben@dst.test>'),
      message('Lunch', 'Ann <ann@dst.test>'),
    ]);
    const page = await client.open('/inbox', { as: 'search' });
    await row(page, 'Lunch').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('invoice from:ann', { delay: 10 });
    await row(page, 'Lunch').waitFor({ state: 'detached' });
    await row(page, 'November').waitFor({ state: 'detached' });
    await row(page, 'October').waitFor();
    await soon(async () => assert.equal(new URL(page.url()).searchParams.get('q'), 'invoice from:ann'));
    await checkAccess(page);
    await page.getByRole('button', { name: 'Remove from:ann', exact: true }).click();
    await row(page, 'November').waitFor();
    await page.getByRole('searchbox', { name: 'Search mail', exact: true }).fill('invoice is:lost');
    await page.getByText('is:lost').last().waitFor();
    await page.getByRole('searchbox', { name: 'Search mail', exact: true }).fill('zebra');
    await page.getByRole('heading', { name: 'No results', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await row(page, 'Lunch').waitFor();
    await page.context().close();
  });

  test('a lost connection is reported, and missed mail is fetched when the connection is back', async () => {
    await client.append('away', message('Before'));
    const page = await client.open('/inbox', { as: 'away', isCut: true });
    await row(page, 'Before').waitFor();
    await page.context().setOffline(true);
    const banner = page.getByText('You are offline.');
    await client.append('away', message('Meanwhile'));
    await banner.waitFor();
    const requested = page.waitForRequest((request) => /\/(?:changes|conversations)\?/.test(request.url()));
    await page.context().setOffline(false);
    await row(page, 'Meanwhile').waitFor();
    // Only the changes are fetched, not the whole list.
    assert.match((await requested).url(), /\/changes\?since=/);
    await banner.waitFor({ state: 'detached' });
    await page.context().close();
  });

  test('the visible rows do not move when new mail arrives above them', async () => {
    await client.append(
      'far',
      Array.from({ length: 80 }, (_, n) => message(`Note ${n}`)),
    );
    const page = await client.open('/inbox', { as: 'far' });
    await row(page, 'Note 79').waitFor();
    await page.mouse.move(500, 500);
    await page.mouse.wheel(0, 2_500);
    await row(page, 'Note 45').waitFor();
    const position = () => row(page, 'Note 45').boundingBox();
    const before = await whereItRests(position);
    await client.append('far', message('Late'));
    await titled(page, (title) => title.startsWith('(81)'));
    assert.deepEqual(await position(), before);
    await page.context().close();
  });

  test('a list of a million conversations renders only the rows near the visible rows', async (context) => {
    const page = await client.open('/archive', { as: 'million' });
    await page.addInitScript(ANSWER_A_MILLION);
    await page.reload();
    await row(page, 'Row 0').waitFor();
    async function seen(holds: (first: number) => boolean): Promise<Seen> {
      let now: Seen = { rendered: 0, rows: [] };
      const isSo = async () => {
        now = await page.evaluate<Seen>(SEEN);
        return (
          now.rows.length > 5 &&
          now.rows.every(({ name }) => name !== undefined) &&
          holds(now.rows[0]?.index ?? -1)
        );
      };
      assert.ok(await eventually(isSo, PATIENCE_MS), JSON.stringify(now));
      return now;
    }
    const scroll = (to: number) =>
      page.evaluate(`document.querySelector('[data-scroller]').scrollTo(0, ${to})`);
    for (const [to, index] of [
      [8_000_000, MILLION / 2],
      [16_000_000, MILLION - 10],
      [4_000_000, MILLION / 4],
    ] as const) {
      const from = performance.now();
      await scroll(to);
      const { rendered, rows } = await seen((first) => Math.abs(first - index) < 1_000);
      context.diagnostic(`jump to ${index}: ${Math.round(performance.now() - from)} ms`);
      assert.ok(rendered < 60, `${rendered}`);
      for (const each of rows) assert.equal(each.name, `Row ${each.index}`);
    }
    await scroll(0);
    await seen((first) => first === 0);
    await page.context().close();
  });

  test('on a phone, a swipe archives a conversation and the list fits the window', async () => {
    await client.append('phone', [
      message('A long subject that a phone has no room for in one line'),
      message('Stays'),
    ]);
    const page = await client.open('/inbox', {
      as: 'phone',
      viewport: NARROW,
      colorScheme: 'dark',
      context: { hasTouch: true, isMobile: true },
    });
    await row(page, 'Stays').waitFor();
    await checkAccess(page);
    await soon(async () =>
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')),
    );
    const box = await whereItRests(() => row(page, 'A long subject').boundingBox());
    assert.ok(box !== null);
    const devTools = await page.context().newCDPSession(page);
    const y = box.y + box.height / 2;
    const touch = (type: string, x?: number) =>
      devTools.send('Input.dispatchTouchEvent', {
        type: type as 'touchStart',
        touchPoints: x === undefined ? [] : [{ x, y }],
      });
    await touch('touchStart', 60);
    for (const x of [90, 130, 180, 230]) await touch('touchMove', x);
    await touch('touchEnd');
    await row(page, 'A long subject').waitFor({ state: 'detached' });
    await row(page, 'Stays').getByRole('link').click();
    await page.getByRole('button', { name: 'Back to the list (u)', exact: true }).waitFor();
    await checkAccess(page);
    await soon(async () =>
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')),
    );
    await page.context().close();
  });
});
