/** The directory page: people and shares. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createProject } from '../../src/accounts/projects/projects.ts';
import { Directory } from '../../src/directory/directory.ts';
import { addMember } from '../../src/directory/members.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { openDashboard, type OpenedDashboard } from '../support/dashboard.ts';
import { checkAccess } from '../support/watched-page.ts';
import { newMailbox } from '../support/mail.ts';
import { soon } from '../support/soon.ts';

const NARROW = { width: 390, height: 844 };

describe('directory page', { skip: NO_BROWSER }, () => {
  let dashboard: OpenedDashboard;
  let directory: Directory;
  before(async () => {
    dashboard = await openDashboard();
    directory = new Directory(dashboard.service.database);
    await createProject(dashboard.service.database, dashboard.organizationId, 'newsletter', 'paid');
  });
  after(() => dashboard[Symbol.asyncDispose]());

  async function open(...[path = '', options]: [string?, Parameters<OpenedDashboard['open']>[1]?]) {
    const page = await dashboard.open(`/directory${path}`, options);
    await page.getByRole('heading', { name: 'Directory', exact: true, level: 1 }).waitFor();
    return page;
  }

  test('a person is added, edited, found and removed by keyboard', async () => {
    const page = await open();
    await page.getByText('No people in the directory yet').waitFor();
    await checkAccess(page);
    await page.getByRole('button', { name: 'Add person', exact: true }).first().focus();
    await page.keyboard.press('Enter');
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('Ada Lovelace');
    await page.keyboard.press('Tab');
    await page.keyboard.type('ada');
    await page.keyboard.press('Enter');
    await page.getByText(/not an address/).waitFor();
    await checkAccess(page);
    await page.getByLabel('Address', { exact: true }).fill('ada@acme.test');
    await page.keyboard.press('Enter');
    await page.getByRole('row').filter({ hasText: 'ada@acme.test' }).waitFor();
    await checkAccess(page);

    await page.getByRole('button', { name: 'More about Ada Lovelace', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.locator('[role=menuitem]:focus').waitFor();
    await page.keyboard.press('c');
    await page.keyboard.press('c');
    await page.getByRole('menuitem', { name: 'Edit', exact: true }).press('Enter');
    await page.getByLabel('Organization', { exact: true }).fill('Acme');
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: 'Acme', exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('nobody');
    await page.getByText('No people found').waitFor();
    await page.getByLabel('Search people', { exact: true }).fill('LOVE');
    await page.getByRole('button', { name: 'More about Ada Lovelace', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Remove', exact: true }).click();
    await page
      .getByRole('alertdialog', { name: 'Remove Ada Lovelace from the directory?', exact: true })
      .getByText(/from this directory/)
      .waitFor();
    await checkAccess(page);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('No people found').waitFor();
    assert.deepEqual((await directory.list(dashboard.projectUuid)).people, []);
    await page.context().close();
  });

  test('a person who has a mailbox is marked and cannot be edited', async () => {
    const { database } = dashboard.service;
    const { mailboxId } = await newMailbox(database, { projectId: dashboard.projectUuid });
    await database
      .transaction()
      .execute((tx) =>
        addMember(tx, dashboard.projectUuid, { mailboxId, name: 'Sales', email: 'sales@acme.test' }),
      );
    const page = await open('', { viewport: NARROW, colorScheme: 'dark' });
    await page.getByRole('cell', { name: 'Mailbox', exact: true }).waitFor();
    await checkAccess(page);
    await page.getByRole('button', { name: /^More about/ }).click();
    await soon(async () =>
      assert.deepEqual(await page.getByRole('menuitem').allTextContents(), ['Copy address']),
    );
    await page.context().close();
  });

  test('the directory is shared with another project, and the share is ended', async () => {
    const page = await open('?view=shares');
    await page.getByText('Not shared with any project yet.').waitFor();
    await page.getByRole('button', { name: 'Share the directory', exact: true }).press('Enter');
    await page.getByLabel('With', { exact: true }).selectOption('newsletter');
    await checkAccess(page);
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    const table = page.getByRole('table', { name: 'Shared by this project', exact: true });
    await table.getByText('newsletter').waitFor();
    await checkAccess(page);
    await page.getByRole('button', { name: 'Stop sharing with newsletter', exact: true }).press('Enter');
    await page
      .getByRole('alertdialog')
      .getByText(/loses one person/)
      .waitFor();
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: 'Stop sharing', exact: true })
      .press('Enter');
    await page.getByText('Not shared with any project yet.').waitFor();
    await page.context().close();
  });

  test('a viewer sees people and shares, but no buttons to change them', async () => {
    const page = await open('', { as: 'viewer' });
    await page.getByRole('table', { name: 'People', exact: true }).waitFor();
    await soon(async () =>
      assert.equal(await page.getByRole('button', { name: 'Add person', exact: true }).count(), 0),
    );
    await page.getByRole('tab', { name: 'Shares', exact: true }).click();
    await page.getByRole('heading', { name: 'Shared with this project', exact: true }).waitFor();
    await soon(async () =>
      assert.equal(await page.getByRole('button', { name: 'Share the directory', exact: true }).count(), 0),
    );
    await page.context().close();
  });
});
