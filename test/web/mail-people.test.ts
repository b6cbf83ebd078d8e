/** People in the web client: the pages, the card in messages, and files of contacts. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER } from '../support/browser.ts';
import { type OpenedMailClient, openMailClient } from '../support/mail-client.ts';
import { soon } from '../support/soon.ts';
import { checkAccess } from '../support/watched-page.ts';

const NARROW = { width: 390, height: 844 };

suite('people in the web client', { skip: NO_BROWSER }, () => {
  let client: OpenedMailClient;
  before(async () => {
    client = await openMailClient();
  });
  after(() => client[Symbol.asyncDispose]());

  const message = (from: string, subject: string) =>
    `From: ${from}\r\nSubject: ${subject}\r\nDate: Mon, 3 Nov 2025 10:00:00 +0000\r\nMessage-ID: <${Math.random()}@src.test>\r\n\r\nHello.\r\n`;
  const people = (page: Page) =>
    page.getByRole('list', { name: 'People', exact: true }).getByRole('listitem');

  /** Opens the page People once the service has found the people. */
  async function openPeople(
    localPart: string,
    count: number,
    path = '/people',
    viewport?: typeof NARROW,
  ): Promise<Page> {
    const page = await client.open(path, { as: localPart, ...(viewport !== undefined && { viewport }) });
    await soon(async () => {
      if ((await people(page).count()) < count) await page.reload();
      assert.ok((await people(page).count()) >= count);
    });
    return page;
  }

  test('a user finds a person of received mail, adds an address and a note, merges and forgets', async () => {
    await client.append('ann', [
      message('Bo Svensson <bo@src.test>', 'First'),
      message('Bo Svensson <bo@src.test>', 'Second'),
      message('B. S. <bs@home.test>', 'From home'),
      message('=?utf-8?q?=E2=80=AEgnp.Evil?= <evil@src.test>', 'Hostile'),
      message('"<img src=x onerror=alert(1)>" <img@src.test>', 'Markup'),
    ]);
    const page = await openPeople('ann', 4);
    await checkAccess(page);
    assert.doesNotMatch((await people(page).allTextContents()).join(' '), /\u202e/);
    await page.getByRole('searchbox', { name: 'Search people', exact: true }).fill('svens');
    await people(page).filter({ hasText: 'Bo Svensson' }).getByRole('link').click();
    await page.getByRole('heading', { name: 'Bo Svensson', level: 1 }).waitFor();
    await page.getByRole('list', { name: 'Recent mail', exact: true }).getByText('Second').waitFor();
    await page.getByRole('button', { name: 'Add contact', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Bo S.');
    await dialog.getByLabel('Addresses', { exact: true }).fill('bo@src.test\nbo.private@home.test');
    await dialog.getByLabel('Note', { exact: true }).fill('met in Rome');
    await checkAccess(page);
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'Bo S.', level: 1 }).waitFor();
    await page.getByText('met in Rome').waitFor();
    await checkAccess(page);

    await page.getByRole('button', { name: 'Merge with another person', exact: true }).click();
    await dialog.getByRole('button', { name: 'B. S. bs@home.test' }).click();
    const addresses = page.getByRole('list', { name: 'Addresses', exact: true }).getByRole('listitem');
    await addresses.filter({ hasText: 'bs@home.test' }).waitFor();
    assert.equal(await addresses.count(), 3);

    await page.getByRole('button', { name: 'Forget', exact: true }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Forget', exact: true }).click();
    await page.getByRole('heading', { name: 'People', level: 1 }).waitFor();
    await page.reload();
    await people(page).filter({ hasText: 'img@src.test' }).waitFor();
    assert.equal(await people(page).count(), 2);
  });

  test('the card of an author opens by key, writes, and leads to the details', async () => {
    await client.append('cara', message('Dan Lee <dan@src.test>', 'Card'));
    const page = await client.open('/inbox', { as: 'cara' });
    await page.getByRole('link', { name: 'Card' }).click();
    const button = page.getByRole('button', { name: 'About Dan Lee', exact: true });
    await button.focus();
    await page.keyboard.press('Enter');
    const card = page.getByRole('dialog', { name: 'About Dan Lee' });
    await card.getByText('dan@src.test').waitFor();
    await checkAccess(page);
    await page.keyboard.press('Escape');
    await card.waitFor({ state: 'hidden' });
    await button.hover();
    await card.getByRole('button', { name: 'Write', exact: true }).click();
    await page.getByRole('listitem').filter({ hasText: 'dan@src.test' }).first().waitFor();
  });

  test('contacts are imported from a file and exported, at 390 pixels', async () => {
    await client.append('dora', message('Eve <eve@src.test>', 'Hello'));
    const page = await openPeople('dora', 1, '/people', NARROW);
    await page.getByLabel('vCard file', { exact: true }).setInputFiles({
      name: 'contacts.vcf',
      mimeType: 'text/vcard',
      buffer: Buffer.from(
        'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Zo\u00eb Zander\r\nEMAIL:zoe@src.test\r\nEND:VCARD\r\nBEGIN:VCARD\r\nFN:None\r\nEND:VCARD\r\n',
      ),
    });
    await page.getByText('1 contact imported. 1 entry without a valid address skipped.').waitFor();
    await people(page).filter({ hasText: 'Zoë Zander' }).waitFor();
    await checkAccess(page);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= 390'), true);
    await page.getByRole('button', { name: 'Import and export', exact: true }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export as vCard file', exact: true }).click(),
    ]);
    const text = readFileSync(await file.path(), 'utf8');
    assert.match(text, /FN:Eve\r\n[^]*FN:Zoë Zander\r\n/);
  });
});
