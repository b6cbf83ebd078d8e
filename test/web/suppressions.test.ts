/** The suppressions page: searching, explaining, adding, importing and removing addresses. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { newUuid } from '../../src/model/ids.ts';
import { insertEmails } from '../../src/sending/accept/insert-emails.ts';
import { recordEvents } from '../../src/sending/events/record-events.ts';
import { suppress } from '../../src/sending/suppress/suppressing.ts';
import { Suppressions } from '../../src/sending/suppress/suppressions.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { openDashboard, type OpenedDashboard } from '../support/dashboard.ts';
import { checkAccess } from '../support/watched-page.ts';
import { newEmail } from '../support/emails.ts';
import { newEvent } from '../support/events.ts';
import { soon } from '../support/soon.ts';

const NARROW = { width: 390, height: 844 };
const DIAGNOSTIC = '550 5.1.1 <gone@dst.test>: no such user';

describe('suppressions page', { skip: NO_BROWSER }, () => {
  let dashboard: OpenedDashboard;
  let suppressions: Suppressions;
  before(async () => {
    dashboard = await openDashboard();
    suppressions = new Suppressions(dashboard.service.database);
  });
  after(() => dashboard[Symbol.asyncDispose]());

  type Options = NonNullable<Parameters<OpenedDashboard['open']>[1]>;
  async function open(options: Options = {}, search = '') {
    const page = await dashboard.open(`/suppressions${search}`, options);
    await page.getByRole('heading', { name: 'Suppressions', exact: true, level: 1 }).waitFor();
    return page;
  }
  const rowOf = (page: Page, address: string) => page.getByRole('row').filter({ hasText: address });
  const add = (...addresses: string[]) => suppressions.add(dashboard.projectUuid, { addresses });
  const listed = async () =>
    (await suppressions.list(dashboard.projectUuid, { limit: 200 })).data.map(({ address }) => address);

  /** Inserts a bounced email and the suppression of its recipient. */
  async function bounce(address: string) {
    const { database } = dashboard.service;
    const of = { projectId: dashboard.projectUuid, emailId: newUuid() };
    await insertEmails(database, [
      newEmail({ ...of, to: [address], recipients: [address], subject: 'Your order 42' }),
    ]);
    await database.transaction().execute(async (tx) => {
      await recordEvents(tx, [{ ...of, events: [newEvent('bounced', 0, address)] }]);
      await suppress(tx, [
        {
          projectId: of.projectId,
          address,
          reason: 'bounce',
          detail: { diagnostic: DIAGNOSTIC },
          cause: { emailId: of.emailId, recipientIndex: 0 },
          expiresAt: null,
        },
      ]);
    });
  }

  test('an empty list is explained, and addresses are added by keyboard', async () => {
    const page = await open();
    await page.getByText('No suppressed addresses').waitFor();
    await checkAccess(page);
    await page.getByRole('button', { name: 'Add addresses', exact: true }).first().focus();
    await page.keyboard.press('Enter');
    await page.locator('textarea:focus').waitFor();
    await page.keyboard.type('ann@dst.test\nghost');
    await page.getByRole('button', { name: 'Add', exact: true }).press('Enter');
    await page.getByText(/^ghost: not an address/).waitFor();
    await checkAccess(page);
    await page.getByLabel('Addresses', { exact: true }).fill('ann@dst.test\nbo@acme.test');
    await page.getByLabel('Reason', { exact: true }).last().selectOption('Unsubscribed');
    await page.getByRole('button', { name: 'Add', exact: true }).press('Enter');
    await page.getByText('2 addresses added').waitFor();
    await rowOf(page, 'ann@dst.test').getByRole('cell', { name: 'Unsubscribed', exact: true }).waitFor();
    await checkAccess(page);
    await page.context().close();
  });

  test('addresses are searched by a part and by reason, and the search is in the URL', async () => {
    await add('carl@find.test', 'dora@find.test');
    const page = await open();
    await page.keyboard.press('/');
    await page.keyboard.type('FIND');
    await page.waitForURL(/q=FIND/);
    await rowOf(page, 'dora@find.test').waitFor();
    await rowOf(page, 'ann@dst.test').waitFor({ state: 'detached' });
    await page.getByLabel('Reason', { exact: true }).selectOption('Complained');
    await page.getByText('No matching addresses').waitFor();
    await page.goBack();
    await rowOf(page, 'carl@find.test').waitFor();
    await page.context().close();
  });

  test('a suppressed address shows the response of the server and the email that caused the suppression', async () => {
    await bounce('gone@dst.test');
    const page = await open({ viewport: NARROW, colorScheme: 'dark', as: 'viewer' });
    await page.getByRole('link', { name: 'gone@dst.test', exact: true }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'gone@dst.test', exact: true });
    await dialog.getByText(DIAGNOSTIC).waitFor();
    await dialog.getByText(/^Accepted .*, bounced/).waitFor();
    await checkAccess(page);
    await soon(async () =>
      assert.equal(await dialog.getByRole('button', { name: 'Remove from list', exact: true }).count(), 0),
    );
    await dialog.getByRole('link', { name: 'Your order 42', exact: true }).click();
    await page.getByRole('heading', { name: 'Your order 42', exact: true, level: 1 }).waitFor();
    await page.context().close();
  });

  test('selected addresses are removed after a warning that mail to them will be sent again', async () => {
    await add('x1@many.test', 'x2@many.test', 'x3@many.test');
    const page = await open({}, '?q=many.test');
    await page.getByLabel('Select x1@many.test', { exact: true }).check();
    await page.getByText('1 address selected').waitFor();
    await page.getByLabel('Select all shown', { exact: true }).press('Space');
    await page.getByText('3 addresses selected').waitFor();
    // Selected addresses that the search hides must not be removed.
    await page.getByRole('searchbox').fill('x3@many');
    await page.getByText('1 address selected').waitFor();
    await page.getByRole('searchbox').fill('many.test');
    await page.getByText('3 addresses selected').waitFor();
    await page.getByLabel('Select x2@many.test', { exact: true }).uncheck();
    await checkAccess(page);
    await page.getByRole('toolbar').getByRole('button', { name: 'Remove', exact: true }).click();
    const alert = page.getByRole('alertdialog', { name: 'Remove 2 addresses?', exact: true });
    await alert.getByText(/Mail is sent to these addresses again/).waitFor();
    await checkAccess(page);
    await alert.getByRole('button', { name: 'Remove', exact: true }).press('Enter');
    await rowOf(page, 'x1@many.test').waitFor({ state: 'detached' });
    assert.deepEqual(
      (await listed()).filter((address) => address.endsWith('many.test')),
      ['x2@many.test'],
    );
    await page.getByRole('button', { name: 'More about x2@many.test', exact: true }).press('Enter');
    await page.locator('[role=menuitem]:focus').waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('No matching addresses').waitFor();
    await page.context().close();
  });

  test('a list of 20,000 lines is imported, and the line of an invalid address is reported', async () => {
    await add('n7@list.test');
    const lines = Array.from({ length: 20_000 }, (_, at) => `n${at}@list.test,HardBounce`);
    lines.splice(12_345, 0, 'ghost,HardBounce');
    const buffer = Buffer.from(['email,reason', ...lines].join('\r\n'));
    const page = await open();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Import suppressions', exact: true });
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByText('Choose a file.').waitFor();
    const choose = (name: string, content: Buffer) =>
      dialog
        .getByLabel('File', { exact: true })
        .setInputFiles({ name, mimeType: 'text/csv', buffer: content });
    await choose('list.xls', Buffer.from('a\0b'));
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByText(/This is not a text file/).waitFor();
    await checkAccess(page);
    await choose('list.csv', buffer);
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByRole('button', { name: 'Done', exact: true }).waitFor();
    const counts = await dialog.locator('dd').allTextContents();
    assert.deepEqual(counts, ['19,999', '1', '1']);
    await dialog.getByText('12,347', { exact: true }).waitFor();
    await checkAccess(page);
    await dialog.getByRole('button', { name: 'Done', exact: true }).click();
    await page.getByRole('button', { name: 'Show more', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: /CSV/ }).click();
    const csv = readFileSync(await (await download).path(), 'utf8');
    assert.equal(csv.match(/@list\.test","bounce",/g)?.length, 20_000);
    await page.context().close();
  });
});
