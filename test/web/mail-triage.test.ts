/** Labels, pinned, muted and snoozed conversations in the web client, and the same mail in a mail app. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { ImapFlow } from 'imapflow';
import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { NO_BROWSER } from '../support/browser.ts';
import { type OpenedMailClient, openMailClient } from '../support/mail-client.ts';
import { soon } from '../support/soon.ts';
import { checkAccess } from '../support/watched-page.ts';

const NARROW = { width: 390, height: 844 };
/** The name of a label that must stay text, from right to left. */
const HOSTILE = '<img src=x onerror=alert(1)> שלום';

suite('triage in the web client', { skip: NO_BROWSER }, () => {
  let client: OpenedMailClient;
  before(async () => {
    client = await openMailClient();
  });
  after(() => client[Symbol.asyncDispose]());

  const message = (subject: string, more = '') =>
    `From: Grace Hopper <grace@src.test>\r\nSubject: ${subject}\r\nDate: Mon, 3 Nov 2025 10:00:00 +0000\r\nMessage-ID: <${subject}@src.test>\r\n${more}\r\nWhat ${subject} says.\r\n`;
  const row = (page: Page, name: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('link', { name }) });
  const subjects = (page: Page) => page.locator('[data-row] a').allTextContents();

  async function inMailApp<Result>(
    localPart: string,
    folder: string,
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
      const lock = await app.getMailboxLock(folder);
      try {
        return await work(app);
      } finally {
        lock.release();
      }
    } finally {
      await app.logout();
    }
  }
  const flagsOf = (localPart: string, folder: string) =>
    inMailApp(localPart, folder, async (app) => {
      const found: string[] = [];
      for await (const { envelope, flags } of app.fetch('1:*', { envelope: true, flags: true }))
        found.push(`${envelope?.subject}: ${[...(flags ?? [])].sort().join(' ')}`);
      return found;
    });

  test('a label is created with the keyboard, appears in the list, the menu and a mail app, and is undone', async () => {
    await client.append('labels', [message('Trip'), message('Invoice')]);
    const page = await client.open('/inbox', { as: 'labels' });
    await row(page, 'Invoice').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('l');
    const dialog = page.getByRole('dialog', { name: 'Label', exact: true });
    await dialog.getByRole('combobox', { name: 'Label' }).fill('Tax 2026');
    await dialog.getByRole('option', { name: 'Create “Tax 2026”' }).waitFor();
    await checkAccess(page);
    await page.keyboard.press('Enter');
    await row(page, 'Invoice').getByText('Tax 2026').waitFor();
    await soon(async () => {
      assert.deepEqual(await flagsOf('labels', 'INBOX'), ['Trip: ', 'Invoice: tax-2026']);
    });
    await page.getByRole('navigation', { name: 'Folders' }).getByRole('link', { name: 'Tax 2026' }).click();
    await soon(async () => assert.deepEqual(await subjects(page), ['Unread: Invoice']));
    await row(page, 'Invoice').getByRole('link').click();
    await page.getByRole('list', { name: 'Labels' }).getByRole('link', { name: 'Tax 2026' }).waitFor();
    await checkAccess(page);
    await page.keyboard.press('z');
    await soon(async () => {
      assert.deepEqual(await flagsOf('labels', 'INBOX'), ['Trip: ', 'Invoice: \\Seen']);
    });
    await page.context().close();
  });

  test('a tag of a mail app appears as a label while the page is open', async () => {
    await client.append('tags', message('Plan'));
    const page = await client.open('/inbox', { as: 'tags' });
    await row(page, 'Plan').waitFor();
    await inMailApp('tags', 'INBOX', (app) => app.messageFlagsAdd('1', ['$label1']));
    await row(page, 'Plan').getByText('Important', { exact: true }).waitFor();
    await page.context().close();
  });

  test('labels are created, renamed, colored and deleted in the settings, whatever their name', async () => {
    await client.append('settled', message('Plan'));
    const page = await client.open('/settings/labels', { as: 'settled', viewport: NARROW });
    await page.getByRole('heading', { name: 'No labels yet' }).waitFor();
    await page.getByRole('button', { name: 'Create label' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill(HOSTILE);
    await dialog.getByRole('radio', { name: 'Teal' }).check();
    await checkAccess(page);
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    const list = page.getByRole('list', { name: 'Labels', exact: true });
    await list.getByText(HOSTILE, { exact: true }).waitFor();
    await page.getByRole('button', { name: `Change ${HOSTILE}` }).click();
    await dialog.getByLabel('Name').fill('Trips');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await list.getByText('Trips', { exact: true }).waitFor();
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
    await checkAccess(page);
    await page.getByRole('button', { name: 'Delete Trips' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { name: 'No labels yet' }).waitFor();
    await page.context().close();
  });

  test('a pinned conversation moves to the top and stays there when new mail arrives', async () => {
    await client.append(
      'pins',
      ['One', 'Two', 'Three'].map((subject) => message(subject)),
    );
    const page = await client.open('/inbox', { as: 'pins' });
    await row(page, 'One').waitFor();
    for (const key of ['j', 'j', 'j', 'Shift+P']) await page.keyboard.press(key);
    await soon(async () =>
      assert.deepEqual(await subjects(page), ['Unread: One', 'Unread: Three', 'Unread: Two']),
    );
    await row(page, 'One').getByText('Pinned').waitFor();
    await client.append('pins', message('Four'));
    await soon(async () =>
      assert.deepEqual((await subjects(page)).slice(0, 2), ['Unread: One', 'Unread: Four']),
    );
    assert.equal((await flagsOf('pins', 'INBOX'))[0], 'One: $pinned');
    await checkAccess(page);
    await page.context().close();
  });

  test('a muted conversation leaves the Inbox, and an answer to it goes to the Archive', async () => {
    await client.append('mutes', [message('Quiet'), message('Loud')]);
    const page = await client.open('/inbox', { as: 'mutes' });
    await row(page, 'Quiet').getByRole('link').click();
    await page.getByRole('heading', { name: 'Quiet', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'More actions for this conversation' }).click();
    await page.getByRole('menuitem', { name: 'Mute (m)' }).click();
    await row(page, 'Quiet').waitFor({ state: 'detached' });
    await client.deliver('mutes', message('Re: Quiet', 'References: <Quiet@src.test>\r\n'));
    await client.deliver('mutes', message('Re: Loud', 'References: <Loud@src.test>\r\n'));
    await row(page, 'Loud').getByText('2', { exact: false }).first().waitFor();
    await soon(async () => {
      const archived = await flagsOf('mutes', 'Archive');
      assert.deepEqual(
        archived.map((each) => each.replace(' \\Seen', '')),
        ['Quiet: $muted', 'Re: Quiet: $muted'],
      );
    });
    await page.context().close();
  });

  test('a snoozed conversation waits in Snoozed, and the worker returns it to the top as unread', async () => {
    await client.append('snoozes', [message('Old'), message('New')], { flags: ['\\Seen'] });
    const page = await client.open('/inbox', { as: 'snoozes', viewport: NARROW });
    await row(page, 'Old').getByRole('checkbox').check();
    await page.keyboard.press('b');
    const dialog = page.getByRole('dialog', { name: 'Snooze', exact: true });
    await dialog.getByRole('button', { name: 'Tomorrow' }).waitFor();
    await checkAccess(page);
    await dialog.getByRole('button', { name: 'Tomorrow' }).click();
    await soon(async () => assert.deepEqual(await subjects(page), ['New']));
    await soon(async () => assert.deepEqual(await flagsOf('snoozes', 'Snoozed'), ['Old: \\Seen']));
    const { mailbox } = await client.mailbox('snoozes');
    // The worker of the service polls once a second.
    await sql`update snoozed_messages set until = now() where mailbox_id = ${mailbox.mailboxId}`.execute(
      client.service.database,
    );
    await soon(async () => assert.deepEqual(await subjects(page), ['Unread: Old', 'New']));
    await row(page, 'Old').getByText('Snoozed until', { exact: false }).first().waitFor();
    await checkAccess(page);
    await page.context().close();
  });
});
