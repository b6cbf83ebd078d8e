/** Replies inside their conversation, several open drafts, the strip of files, and a composer whose code cannot be loaded. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER } from '../support/browser.ts';
import { type OpenedMailClient, openMailClient } from '../support/mail-client.ts';
import { soon } from '../support/soon.ts';
import { checkAccess } from '../support/watched-page.ts';

const PHONE = { width: 390, height: 844 };

suite('writing in the web client', { skip: NO_BROWSER }, () => {
  let client: OpenedMailClient;
  before(async () => {
    client = await openMailClient();
  });
  after(() => client[Symbol.asyncDispose]());

  const text = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
  const subject = (page: Page) => page.getByLabel('Subject', { exact: true });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const inline = (page: Page) => page.getByRole('region', { name: 'Reply', exact: true });
  const panel = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });
  const row = (page: Page, name: string) =>
    page.getByRole('list', { name: 'Conversations' }).getByRole('link', { name });
  const saved = (page: Page) => page.getByText(/^Saved \d/).waitFor();
  const mail = (name: string, lines = 1) =>
    `From: Cy <cy@src.test>\r\nSubject: ${name}\r\nMessage-ID: <${name}@src.test>\r\n\r\n${'Shall we?\r\n'.repeat(lines)}`;

  async function openConversation(localPart: string, name: string, options = {}): Promise<Page> {
    const page = await client.open('/inbox', { as: localPart, ...options });
    await row(page, name).click();
    await page.getByRole('article').getByText('Shall we?').first().waitFor();
    return page;
  }

  test('a reply opens at the foot of its conversation, has the focus and no scrollbar of its own, and survives a reload', async () => {
    await client.append('foot', mail('Lunch', 80));
    const page = await openConversation('foot', 'Lunch');
    await page.keyboard.press('r');
    await inline(page).getByRole('textbox', { name: 'Message' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Gladly');
    await saved(page);
    assert.equal(await page.getByRole('dialog').count(), 0);
    // The reply is visible, and the message above it can still be scrolled to and selected.
    assert.ok(
      await page.evaluate(
        `document.querySelector('[data-inline] .compose-text').getBoundingClientRect().bottom <= innerHeight`,
      ),
    );
    assert.equal(
      await page.evaluate(
        `[...document.querySelectorAll('[data-inline] *')].filter((each) => each.scrollHeight > each.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(each).overflowY)).length`,
      ),
      0,
    );
    await checkAccess(page);
    // The draft is not shown as a message as well.
    assert.equal(await page.getByRole('article').count(), 1);
    await page.reload();
    await inline(page).getByText('Gladly').waitFor();
    await soon(async () => assert.equal(await page.getByRole('article').count(), 1));
    await page.context().close();
  });

  test('while a long reply is written in a conversation, the line with the cursor stays above the toolbar', async () => {
    await client.append('long', mail('Lunch', 20));
    const page = await openConversation('long', 'Lunch');
    await page.keyboard.press('r');
    await text(page).and(page.locator(':focus')).waitFor();
    for (let line = 0; line < 30; line++) {
      await page.keyboard.type(`${line}`);
      await page.keyboard.press('Enter');
    }
    await page.keyboard.type('The end');
    const [line, toolbar] = [
      await text(page).getByText('The end').boundingBox(),
      await page.getByRole('toolbar', { name: 'Formatting' }).boundingBox(),
    ];
    assert.ok(
      line !== null && toolbar !== null && line.y + line.height <= toolbar.y,
      `${line?.y} ${toolbar?.y}`,
    );
    await page.context().close();
  });

  test('a second reply does not replace the first, and each conversation shows its own draft again', async () => {
    await client.append('two', [mail('Lunch'), mail('Boat')]);
    const page = await openConversation('two', 'Lunch');
    await page.keyboard.press('r');
    await text(page).fill('To Lunch');
    await row(page, 'Boat').click();
    await text(page).waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: 'Boat' }).waitFor();
    await page.keyboard.press('r');
    await text(page).fill('To Boat');
    await saved(page);
    await row(page, 'Lunch').click();
    await inline(page).getByText('To Lunch').waitFor();
    // The draft does not take the focus, because the user has not asked for it.
    assert.equal(await page.evaluate(`document.activeElement.closest('[data-inline]')`), null);
    await row(page, 'Boat').click();
    await inline(page).getByText('To Boat').waitFor();
    // The key r continues the open reply.
    await page.keyboard.press('r');
    await text(page).and(page.locator(':focus')).waitFor();
    assert.equal(await text(page).count(), 1);
    await page.context().close();
  });

  test('a reply moves to a panel and back with its text, its focus and its undo history', async () => {
    await client.append('pops', mail('Lunch'));
    const page = await openConversation('pops', 'Lunch');
    await page.keyboard.press('r');
    await text(page).pressSequentially('Gladly');
    await button(page, 'Pop out').click();
    await panel(page, 'Reply').getByText('Gladly').waitFor();
    await text(page).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ControlOrMeta+z');
    await soon(async () => assert.equal((await text(page).innerText()).trim(), ''));
    await page.keyboard.type('Yes');
    await saved(page);
    await checkAccess(page);
    await button(page, 'Reply in the conversation').click();
    await inline(page).getByText('Yes').waitFor();
    await page.keyboard.press('Escape');
    await text(page).waitFor({ state: 'detached' });
    await page.keyboard.press('Shift+R');
    await panel(page, 'Reply').getByRole('textbox', { name: 'Message' }).waitFor();
    await page.context().close();
  });

  test('new messages open side by side, and those that do not fit are tabs with their subjects', async () => {
    const page = await client.open('/inbox', { as: 'many' });
    await button(page, 'Compose').first().waitFor();
    for (const name of ['One', 'Two', 'Three']) {
      await button(page, 'Compose').first().click();
      const added = panel(page, 'Compose').filter({ has: page.locator(':focus') });
      await added.getByLabel('Subject', { exact: true }).fill(name);
      await added.getByText(/^Saved \d/).waitFor();
    }
    assert.deepEqual(await Promise.all((await subject(page).all()).map((field) => field.isVisible())), [
      false,
      true,
      true,
    ]);
    await page.getByRole('heading', { level: 2, name: 'One', exact: true }).waitFor();
    await checkAccess(page);
    await page.reload();
    await page.getByRole('heading', { level: 2, name: 'One', exact: true }).waitFor();
    await button(page, 'Restore').click();
    await page.getByRole('heading', { level: 2, name: 'Two', exact: true }).waitFor();
    assert.equal(await panel(page, 'Compose').count(), 3);
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
    await page.context().close();
  });

  test('on a phone, a reply is a page of its own', async () => {
    await client.append('phone', mail('Lunch'));
    const page = await openConversation('phone', 'Lunch', { viewport: PHONE });
    await page.getByRole('button', { name: 'Reply', exact: true }).click();
    await panel(page, 'Reply').getByRole('textbox', { name: 'Message' }).fill('Gladly');
    await saved(page);
    await checkAccess(page);
    await button(page, 'Back').click();
    await text(page).waitFor({ state: 'detached' });
    await page.context().close();
  });

  for (const [name, viewport] of [
    ['a window', { width: 1440, height: 700 }],
    ['a phone', PHONE],
  ] as const)
    test(`files are listed above the toolbar of ${name}, however long the text is`, async () => {
      const page = await client.open('/inbox?compose=new', { as: 'files', viewport });
      await text(page).fill('Line\n'.repeat(60));
      const file = (at: number) => ({
        name: `f${at}.txt`,
        mimeType: 'text/plain',
        buffer: Buffer.alloc(1024),
      });
      await page.setInputFiles('input[type=file]', [file(1), file(2), file(3)]);
      const strip = page.getByRole('region', { name: 'Attachments' });
      await strip.getByRole('button', { name: '3 files, 3 KB', exact: true }).waitFor();
      for (const label of ['Remove f1.txt', 'Remove f3.txt']) {
        const box = await button(page, label).boundingBox();
        assert.ok(box !== null && box.y + box.height <= viewport.height, label);
      }
      await page.getByRole('status').filter({ hasText: '3 files attached' }).waitFor({ state: 'attached' });
      await checkAccess(page);
      await strip.getByRole('button', { name: '3 files, 3 KB' }).press('Enter');
      await button(page, 'Remove f1.txt').waitFor({ state: 'hidden' });
      // The question about a file that is too large is shown although the list is folded.
      await page.evaluate(`{
        const transfer = new DataTransfer();
        transfer.items.add(new File([new Uint8Array(26 * 1024 * 1024)], 'film.bin'));
        const field = document.querySelector('input[type=file]');
        field.files = transfer.files;
        field.dispatchEvent(new Event('change', { bubbles: true }));
      }`);
      const offer = button(page, 'Send as link: film.bin');
      await offer.waitFor();
      await offer.scrollIntoViewIfNeeded();
      await checkAccess(page);
      await page.context().close();
    });

  test('without a connection, the composer says that it cannot be loaded, and opens when the connection is back', async () => {
    const page = await client.open('/inbox', { as: 'cut', isCut: true });
    await page.addInitScript('requestIdleCallback = () => 0');
    await page.reload();
    await page.getByRole('heading', { level: 2, name: 'The Inbox is empty' }).waitFor();
    await page.context().setOffline(true);
    await page.getByText('You are offline.').waitFor();
    await page.keyboard.press('c');
    await page.getByText('The composer could not be loaded. It opens when the connection is back.').waitFor();
    await page.getByRole('heading', { level: 2, name: 'The Inbox is empty' }).waitFor();
    await checkAccess(page);
    await page.context().setOffline(false);
    await text(page).waitFor();
    await page.getByText('The composer could not be loaded').waitFor({ state: 'detached' });
    await page.context().close();
  });

  test('an import that failed is repeated, and if a newer release has replaced the code, a notice offers to reload', async () => {
    for (const isReplaced of [false, true]) {
      const page = await client.open('/inbox', { as: 'old', isCut: true });
      const requests: string[] = [];
      await page.context().route(/\/assets\/desk-[^/]*\.js/, (route) => {
        requests.push(route.request().url());
        return isReplaced || requests.length === 1 ? route.fulfill({ status: 404 }) : route.continue();
      });
      await page.reload();
      // The browser has loaded the composer in advance, in vain.
      await soon(async () => assert.equal(requests.length, 1));
      await page.getByRole('heading', { level: 2, name: 'The Inbox is empty' }).waitFor();
      await page.keyboard.press('c');
      if (isReplaced) {
        await page.getByText('A new version is available.').waitFor();
        await page.context().unroute(/\/assets\/desk-[^/]*\.js/);
        await button(page, 'Reload').click();
      }
      await text(page).waitFor();
      await page.context().close();
    }
  });
});
