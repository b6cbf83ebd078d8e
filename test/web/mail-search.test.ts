/** The search of the web client: suggestions, recent searches, the form, and what the results show. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER } from '../support/browser.ts';
import { type OpenedMailClient, openMailClient } from '../support/mail-client.ts';
import { soon } from '../support/soon.ts';
import { checkAccess } from '../support/watched-page.ts';

const NARROW = { width: 390, height: 844 };
/** The texts that the browser marks. A string because it runs in the browser. */
const MARKED = `[...(CSS.highlights.get('found') ?? [])].map((range) => range.toString())`;

suite('search of the web client', { skip: NO_BROWSER }, () => {
  let client: OpenedMailClient;
  before(async () => {
    client = await openMailClient();
    const message = (subject: string, body: string, from = 'Bo Svensson <bo@src.test>') =>
      `From: ${from}\r\nSubject: ${subject}\r\nDate: Mon, 3 Nov 2025 10:00:00 +0000\r\nMessage-ID: <${Math.random()}@src.test>\r\n${body}`;
    await client.append('ann', [
      message(
        'Garden',
        `\r\n${'Nothing here. '.repeat(30)}The quarterly Übersicht is attached. ${'More text. '.repeat(30)}\r\n`,
      ),
      message(
        'Offer',
        'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nSee the file\r\n--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename=contract.pdf\r\n\r\nx\r\n--b--\r\n',
      ),
      message(
        '<b>Hostile</b>',
        '\r\nquarterly <script>alert(1)</script> \u202equarterly\r\n',
        '"<i>x</i>" <x@src.test>',
      ),
    ]);
    await client.append('ann', message('Archived', '\r\nA quarterly note.\r\n'), { folder: 'Archive' });
  });
  after(() => client[Symbol.asyncDispose]());

  const box = (page: Page) => page.getByRole('searchbox', { name: 'Search mail', exact: true });
  const option = (page: Page, name: string | RegExp) =>
    page.getByRole('listbox', { name: 'Search suggestions', exact: true }).getByRole('option', { name });
  const row = (page: Page, name: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('link', { name }) });
  const searched = (page: Page, q: string) => page.waitForURL((url) => url.searchParams.get('q') === q);

  test('results show the words around the match, the folder, a count, and marks', async () => {
    const page = await client.open('/search?q=quarterly');
    await row(page, 'Garden')
      .getByText(/nothing here\. the quarterly ubersicht is attached/)
      .waitFor();
    await row(page, 'Archived').getByText('Archive', { exact: true }).waitFor();
    await page.getByText('3 results', { exact: true }).waitFor();
    await row(page, 'Hostile').getByText('<script>').waitFor();
    await soon(async () => assert.ok((await page.evaluate<string[]>(MARKED)).length >= 3));
    await checkAccess(page);
    await page.getByRole('link', { name: 'Garden' }).click();
    await page.getByText('The quarterly Übersicht').waitFor();
    await soon(async () => assert.ok((await page.evaluate<string[]>(MARKED)).length >= 4));
    await box(page).fill('ubersicht');
    await searched(page, 'ubersicht');
    await page.getByRole('link', { name: 'Garden' }).click();
    await soon(async () => assert.ok((await page.evaluate<string[]>(MARKED)).includes('Übersicht')));
    await box(page).fill('');
    await soon(async () => assert.deepEqual(await page.evaluate<string[]>(MARKED), []));
  });

  test('names of attached files are found', async () => {
    const page = await client.open('/search?q=filename:contract');
    await row(page, 'Offer').waitFor();
    await page.goto(page.url().replace('filename:contract', 'contract'));
    await row(page, 'Offer').waitFor();
    await page.getByText('1 result', { exact: true }).waitFor();
  });

  test('people, operators and recent searches are suggested, and recent searches can be deleted', async () => {
    const page = await client.open('/inbox');
    await page.keyboard.press('/');
    await box(page).pressSequentially('sven');
    await option(page, 'From Bo Svensson').waitFor();
    await page.keyboard.press('ArrowDown');
    assert.equal(await option(page, 'From Bo Svensson').getAttribute('aria-selected'), 'true');
    await checkAccess(page);
    await page.keyboard.press('Enter');
    await searched(page, 'from:bo@src.test');
    await row(page, 'Garden').waitFor();

    await box(page).fill('');
    await box(page).pressSequentially('has');
    await option(page, 'has:file').click();
    await searched(page, 'has:file');

    await box(page).fill('');
    await option(page, 'from:bo@src.test').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+Delete');
    await option(page, 'from:bo@src.test').waitFor({ state: 'detached' });
    await option(page, 'Clear recent searches').click();
    await option(page, /^has:file$/).waitFor({ state: 'detached' });
    assert.deepEqual(
      await page.evaluate<string[]>(
        `Object.keys(localStorage).filter((key) => key.startsWith('posthorn-searches'))`,
      ),
      [],
    );
  });

  test('a form writes the search, at 390 pixels', async () => {
    const page = await client.open('/search?q=note', { viewport: NARROW });
    await page.getByRole('button', { name: 'Search options', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Search options' });
    assert.equal(await dialog.getByLabel('Words', { exact: true }).inputValue(), 'note');
    await dialog.getByLabel('From', { exact: true }).fill('bo svensson');
    await dialog.getByLabel('Last day', { exact: true }).fill('2099-12-31');
    await dialog.getByLabel('Folder', { exact: true }).selectOption('Archive');
    await checkAccess(page);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= 390'), true);
    await dialog.getByLabel('Words', { exact: true }).press('Enter');
    await searched(page, 'from:"bo svensson" note in:archive before:2100-01-01');
    await row(page, 'Archived').waitFor();
  });
});
