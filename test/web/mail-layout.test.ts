/** The list of the web client as a place to work: filters, orders, layout, the menu of a row, dragging, and selecting by touch. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER } from '../support/browser.ts';
import { type OpenedMailClient, openMailClient } from '../support/mail-client.ts';
import { soon } from '../support/soon.ts';
import { checkAccess } from '../support/watched-page.ts';

const PHONE = { viewport: { width: 390, height: 844 }, context: { hasTouch: true, isMobile: true } };
const DAY_MS = 86_400_000;

suite('layout of the list of the web client', { skip: NO_BROWSER }, () => {
  let client: OpenedMailClient;
  before(async () => {
    client = await openMailClient();
  });
  after(() => client[Symbol.asyncDispose]());

  const message = (subject: string, from = 'Grace Hopper <grace@src.test>', text = 'Text.') =>
    `From: ${from}\r\nSubject: ${subject}\r\nMessage-ID: <${Math.random()}@src.test>\r\n\r\n${text}\r\n`;
  const row = (page: Page, name: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('link', { name }) });
  const subjects = (page: Page) => page.locator('[data-row] a').allTextContents();
  const shows = (page: Page, expected: readonly string[]) =>
    soon(async () => assert.deepEqual(await subjects(page), expected));
  const folders = (page: Page) => page.getByRole('navigation', { name: 'Folders', exact: true });
  const radio = (page: Page, group: string, name: string) =>
    page.getByRole('group', { name: group, exact: true }).getByRole('radio', { name, exact: true });
  const fits = (page: Page) =>
    soon(async () => assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')));

  test('a filter shows the matching conversations, and new mail only if it matches', async () => {
    await client.append('filters', [message('Old'), message('Read', 'Ann <ann@src.test>')], {
      flags: ['\\Seen'],
    });
    await client.append('filters', message('Fresh'));
    const page = await client.open('/inbox', { as: 'filters' });
    await shows(page, ['Unread: Fresh', 'Read', 'Old']);
    const filter = page.getByRole('group', { name: 'Filter', exact: true });
    await filter.getByRole('button', { name: 'Unread', exact: true }).click();
    await shows(page, ['Unread: Fresh']);
    assert.match(page.url(), /\/inbox\?filter=unread$/);
    await client.append('filters', message('Later'), { flags: ['\\Seen'] });
    await client.append('filters', message('Newest'));
    await shows(page, ['Unread: Newest', 'Unread: Fresh']);
    await checkAccess(page);

    // A conversation that the user reads stays, so that j opens the next one, until the list is opened again.
    await page.getByRole('link', { name: 'Fresh' }).click();
    await page.getByRole('link', { name: 'Fresh', exact: true }).waitFor();
    assert.match(page.url(), /\?filter=unread$/);
    await page.keyboard.press('k');
    await page.getByRole('heading', { name: 'Newest', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Newest', exact: true }).waitFor();
    await filter.getByRole('button', { name: 'Unread', exact: true }).click();
    await shows(page, ['Newest', 'Later', 'Fresh', 'Read', 'Old']);
    await filter.getByRole('button', { name: 'With files', exact: true }).click();
    await page.getByRole('heading', { name: 'No conversations match the filter', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove filter', exact: true }).click();
    await row(page, 'Old').waitFor();
    await page.context().close();
  });

  test('all conversations of a filter are selected, and no others', async () => {
    await client.append('chosen', [message('One'), message('Two')], { flags: ['\\Flagged'] });
    await client.append('chosen', message('Stays'));
    const page = await client.open('/inbox?filter=starred', { as: 'chosen' });
    await shows(page, ['Unread: Two', 'Unread: One']);
    await page.getByRole('checkbox', { name: 'Select all', exact: true }).check();
    await page.getByText('2 selected').waitFor();
    await page.getByRole('toolbar').getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByRole('heading', { name: 'No conversations match the filter', exact: true }).waitFor();
    await folders(page).getByRole('link', { name: 'Inbox' }).click();
    await shows(page, ['Unread: Stays']);
    await page.context().close();
  });

  test('a folder is sorted in five ways, and the order stays when a conversation is opened and after a reload', async () => {
    const mail = [
      ['Small', 'Zoe <z@src.test>', 100],
      ['Large', 'Bob <b@src.test>', 9_000],
      ['Middle', 'Ann <a@src.test>', 3_000],
    ] as const;
    for (const [subject, from, length] of mail)
      await client.append('sorts', message(subject, from, 'x'.repeat(length)), {
        flags: subject === 'Middle' ? ['\\Seen'] : [],
      });
    const page = await client.open('/inbox', { as: 'sorts' });
    await row(page, 'Small').waitFor();
    const plain = async () => (await subjects(page)).map((name) => name.replace('Unread: ', '')).join(' ');
    for (const [label, expected] of [
      ['Oldest first', 'Small Large Middle'],
      ['Unread first', 'Large Small Middle'],
      ['Sender', 'Middle Large Small'],
      ['Largest first', 'Large Middle Small'],
      ['Newest first', 'Middle Large Small'],
      ['Oldest first', 'Small Large Middle'],
    ] as const) {
      await page.getByRole('button', { name: 'Sort and layout', exact: true }).click();
      await page.getByLabel('Sort by', { exact: true }).selectOption(label);
      await soon(async () => assert.equal(await plain(), expected, label));
      await page.keyboard.press('Escape');
    }
    assert.match(page.url(), /\?sort=oldest$/);
    await page.getByRole('link', { name: 'Large' }).click();
    await page.getByRole('heading', { name: 'Large', exact: true }).waitFor();
    await page.reload();
    await soon(async () => assert.equal(await plain(), 'Small Large Middle'));
    await client.append('sorts', message('Last'));
    await soon(async () => assert.equal(await plain(), 'Small Large Middle Last'));
    await page.context().close();
  });

  test('compact lines show at least 25 rows, and headings divide them by date without being rows', async () => {
    const now = Date.now();
    await client.append(
      'dense',
      Array.from({ length: 40 }, (_, n) => message(`Old ${n}`)),
      {
        at: new Date(now - 400 * DAY_MS),
      },
    );
    await client.append('dense', message('Of yesterday'), { at: new Date(now - DAY_MS) });
    await client.append('dense', message('Of today'));
    const page = await client.open('/inbox', { as: 'dense' });
    for (const name of ['Today', 'Yesterday', 'Older'])
      await page
        .getByRole('list', { name: 'Conversations' })
        .getByRole('heading', { name, exact: true })
        .waitFor();
    await row(page, 'Of yesterday').getByText('Yesterday').last().waitFor();
    await page.getByRole('button', { name: 'Sort and layout', exact: true }).click();
    await radio(page, 'Rows', 'One line').check();
    await radio(page, 'Density', 'Compact').check();
    await radio(page, 'Open conversation', 'Full page').check();
    await checkAccess(page);
    await page.keyboard.press('Escape');
    await soon(async () => {
      const visible = await page.evaluate<number>(`(() => {
        const list = document.querySelector('[data-scroller]').getBoundingClientRect();
        return [...document.querySelectorAll('[data-row] a')]
          .filter((link) => link.getBoundingClientRect().bottom <= list.bottom).length;
      })()`);
      assert.ok(visible >= 25, `${visible}`);
    });
    // j and k skip headings.
    for (const name of ['Of today', 'Of yesterday', 'Old 39', 'Old 38']) {
      await page.keyboard.press('j');
      await soon(async () =>
        assert.equal(await page.evaluate('document.activeElement.textContent'), `Unread: ${name}`),
      );
    }
    await page.keyboard.press('End');
    await soon(async () =>
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'Unread: Old 0'),
    );
    const box = await row(page, 'Old 0').boundingBox();
    assert.ok(box !== null && box.y + box.height <= 901, JSON.stringify(box));
    await checkAccess(page);
    await page.reload();
    await page.keyboard.press('Enter');
    await soon(async () => assert.ok(((await row(page, 'Old 39').boundingBox())?.height ?? 99) < 60));
    await page.context().close();
  });

  test('the divider of the panes moves with mouse and keyboard, and its position is remembered', async () => {
    await client.append('panes', [message('One'), message('Two')]);
    const page = await client.open('/inbox', { as: 'panes' });
    await row(page, 'Two').waitFor();
    const divider = page.getByRole('separator', { name: 'Resize the list', exact: true });
    const width = async () =>
      Math.round((await page.getByRole('region', { name: 'List' }).boundingBox())?.width ?? 0);
    const before = await width();
    await divider.focus();
    await page.keyboard.press('ArrowRight');
    await soon(async () => assert.ok((await width()) > before));
    const box = await divider.boundingBox();
    assert.ok(box !== null);
    await page.mouse.move(box.x, 400);
    await page.mouse.down();
    await page.mouse.move(800, 400, { steps: 3 });
    await page.mouse.up();
    const chosen = await width();
    assert.ok(Math.abs(chosen - (800 - 240)) < 6, `${chosen}`);
    await page.reload();
    await soon(async () => assert.equal(await width(), chosen));

    await page.getByRole('button', { name: 'Sort and layout', exact: true }).click();
    await radio(page, 'Open conversation', 'Below').check();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Two' }).click();
    const [list, conversation] = [
      page.getByRole('region', { name: 'List' }),
      page.getByRole('region', { name: 'Conversation', exact: true }),
    ];
    await conversation.getByRole('heading', { name: 'Two', exact: true }).waitFor();
    await soon(async () => {
      const [above, below] = [await list.boundingBox(), await conversation.boundingBox()];
      assert.ok(above !== null && below !== null && above.y + above.height <= below.y + 1);
    });
    await checkAccess(page);
    // The whole page for the conversation: Back returns to the list.
    await page.goto(page.url().replace(/inbox.*/, 'settings/reading'));
    await radio(page, 'Open conversation', 'Full page').check();
    await page.goto(page.url().replace(/settings.*/, 'inbox'));
    await page.getByRole('link', { name: 'One' }).click();
    await page.getByRole('button', { name: 'Back to the list (u)', exact: true }).click();
    await page.getByRole('link', { name: 'One' }).waitFor();
    await page.context().close();
  });

  test('the menu of a row opens with the mouse, with a key and with its button, and acts on the selection', async () => {
    await client.append('menus', [message('One'), message('Two'), message('Three'), message('Four')]);
    const page = await client.open('/inbox', { as: 'menus' });
    await row(page, 'Four').click({ button: 'right' });
    const menu = page.getByRole('menu');
    const item = (name: string) => menu.getByRole('menuitem', { name, exact: true });
    const href = await item('Open in new tab').getAttribute('href');
    assert.equal(href, await page.getByRole('link', { name: 'Four' }).getAttribute('href'));
    await checkAccess(page);
    await item('Archive').click();
    await row(page, 'Four').waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Three' }).focus();
    await page.keyboard.press('Shift+F10');
    await soon(async () =>
      assert.equal(await page.evaluate('document.activeElement.role ?? ""'), 'menuitem'),
    );
    // The keys of the menu are not shortcuts of the list.
    for (let n = 0; n < 20 && (await page.evaluate('document.activeElement.textContent')) !== 'Star'; n++)
      await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await row(page, 'Three').getByRole('button', { name: 'Remove star', exact: true }).waitFor();

    await row(page, 'Two').getByRole('checkbox').click();
    await row(page, 'One').getByRole('checkbox').click();
    await row(page, 'One').hover();
    await row(page, 'One').getByRole('button', { name: 'More actions', exact: true }).click();
    assert.equal(await item('Reply').count(), 0);
    await item('Move to Trash').click();
    await shows(page, ['Unread: Three']);
    await row(page, 'Three').click({ button: 'right' });
    await item('Reply').click();
    await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
    await page.context().close();
  });

  test('rows are dragged to a folder, alone or with the selection, and Escape cancels', async () => {
    await client.append('drags', [message('One'), message('Two'), message('Three')]);
    const page = await client.open('/inbox', { as: 'drags' });
    const folder = (name: string) => folders(page).getByRole('link', { name });
    await row(page, 'Three').hover({ position: { x: 150, y: 40 } });
    await page.mouse.down();
    await folder('Archive').hover();
    await folder('Archive').hover();
    await soon(async () =>
      assert.match((await folder('Archive').getAttribute('class')) ?? '', /outline-accent/),
    );
    assert.doesNotMatch((await folder('Sent').getAttribute('class')) ?? '', /outline-dashed/);
    await page.mouse.up();
    await row(page, 'Three').waitFor({ state: 'detached' });
    await page.getByText('1 conversation moved to Archive').waitFor();

    await row(page, 'Two').hover({ position: { x: 150, y: 40 } });
    await page.mouse.down();
    await folder('Trash').hover();
    await folder('Trash').hover();
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await row(page, 'Two').waitFor();

    await row(page, 'One').getByRole('checkbox').click();
    await row(page, 'Two').getByRole('checkbox').click();
    await row(page, 'Two').dragTo(folder('Junk'), { sourcePosition: { x: 150, y: 40 } });
    await page.getByText('2 conversations moved to Junk').waitFor();
    await page.getByRole('heading', { name: 'The Inbox is empty', exact: true }).waitFor();
    await page.context().close();
  });

  test('the Move dialog creates a nested folder and moves the conversation to it', async () => {
    await client.append('creates', [message('One'), message('Two')]);
    const page = await client.open('/inbox', { as: 'creates' });
    await page.getByRole('link', { name: 'Two' }).focus();
    await page.keyboard.press('v');
    const field = page.getByRole('combobox', { name: 'Folder', exact: true });
    await field.fill('Clients/North');
    await page.getByRole('option', { name: /^Create folder .*Clients\/North/ }).waitFor();
    await checkAccess(page);
    await page.keyboard.press('Enter');
    await row(page, 'Two').waitFor({ state: 'detached' });
    await folders(page).getByRole('link', { name: 'North' }).click();
    await row(page, 'Two').waitFor();
    await page.getByRole('link', { name: 'Two' }).focus();
    await page.keyboard.press('v');
    await field.fill('/bad//');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('status').getByText(/./).waitFor();
    await page.context().close();
  });

  test('on a phone, a long press selects a row, taps select more, and the head makes way for the rows', async () => {
    await client.append(
      'presses',
      Array.from({ length: 30 }, (_, n) => message(`Note ${n}`)),
    );
    const page = await client.open('/inbox', { as: 'presses', ...PHONE });
    await row(page, 'Note 29').waitFor();
    const box = await row(page, 'Note 28').boundingBox();
    assert.ok(box !== null);
    const devTools = await page.context().newCDPSession(page);
    const point = { x: 150, y: box.y + box.height / 2 };
    await devTools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [point] });
    await page.getByText('1 selected').waitFor();
    await devTools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await page.getByRole('link', { name: 'Note 27' }).tap();
    await page.getByText('2 selected').waitFor();
    assert.match(page.url(), /\/inbox$/);
    await checkAccess(page);
    await fits(page);
    await page.getByRole('toolbar').getByRole('button', { name: 'Archive', exact: true }).tap();
    await row(page, 'Note 28').waitFor({ state: 'detached' });
    await row(page, 'Note 27').waitFor({ state: 'detached' });

    const top = async () => (await page.locator('[data-scroller]').boundingBox())?.y ?? 0;
    const scroll = (to: number) =>
      page.evaluate(`document.querySelector('[data-scroller]').scrollTo(0, ${to})`);
    await scroll(300);
    await scroll(600);
    await soon(async () => assert.ok((await top()) <= 64, String(await top())));
    await scroll(400);
    await soon(async () => assert.ok((await top()) > 90));
    await fits(page);
    await page.context().close();
  });
});
