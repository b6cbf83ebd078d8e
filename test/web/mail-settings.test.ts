/** The settings of the web client: rules, vacation, forwarding, blocked senders, folders, writing, reading, notifications. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { trustSender } from '../../src/webmail/read/sender/trusted-senders.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { openMailClient, type OpenedMailClient } from '../support/mail-client.ts';
import { checkAccess } from '../support/watched-page.ts';
import { soon } from '../support/soon.ts';

const NARROW = { viewport: { width: 390, height: 844 } };

suite('settings of the web client', { skip: NO_BROWSER }, () => {
  let client: OpenedMailClient;
  before(async () => {
    client = await openMailClient();
  });
  after(() => client[Symbol.asyncDispose]());

  const button = (page: Page, name: string | RegExp) =>
    page.getByRole('button', { name, exact: typeof name === 'string' });
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });

  async function openSettings(path: string, name: string, options: object = {}): Promise<Page> {
    const page = await client.open(`/settings/${path}`, options);
    await heading(page, name).waitFor();
    return page;
  }

  test('a rule can be created, edited, moved, turned off and removed', async () => {
    const page = await openSettings('rules', 'Rules', { as: 'rules' });
    for (const name of ['First', 'Second']) {
      await button(page, 'Add rule').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name', { exact: true }).fill(name);
      await dialog.getByLabel('Condition 1: value', { exact: true }).fill('@news.example');
      await dialog.getByLabel('Action 1: folder', { exact: true }).fill('News');
      await checkAccess(page);
      await dialog.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByRole('listitem').filter({ hasText: name }).waitFor();
    }
    const rules = page.getByRole('list', { name: 'Rules', exact: true }).getByRole('listitem');
    await button(page, 'Move Second: 2 of 2').press('ArrowUp');
    await page.getByText('Second is now 1 of 2').waitFor();
    await soon(async () => assert.match((await rules.first().textContent()) ?? '', /Second/));
    await button(page, 'Move Second: 1 of 2').press('ArrowUp');
    await button(page, 'Edit First').click();
    const dialog = page.getByRole('dialog', { name: 'Edit First', exact: true });
    await soon(async () =>
      assert.equal(
        await dialog.getByLabel('Condition 1: value', { exact: true }).inputValue(),
        '@news.example',
      ),
    );
    await dialog.getByLabel('Name', { exact: true }).fill('Newsletters');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await rules.filter({ hasText: 'Newsletters' }).waitFor();
    await button(page, 'More about Newsletters').click();
    await page.getByRole('menuitem', { name: 'Turn off', exact: true }).click();
    await rules.filter({ hasText: 'Newsletters' }).getByText('Off', { exact: true }).waitFor();
    await checkAccess(page);
    await page.reload();
    await soon(async () => assert.match((await rules.first().textContent()) ?? '', /Second/));
    await button(page, 'More about Second').click();
    await page.getByRole('menuitem', { name: 'Remove', exact: true }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await rules.filter({ hasText: 'Second' }).waitFor({ state: 'detached' });
    await soon(async () => assert.equal(await rules.count(), 1));
    await page.context().close();
  });

  test('an invalid rule shows an error', async () => {
    const page = await openSettings('rules', 'Rules', { as: 'refused', ...NARROW });
    await button(page, 'Add rule').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Loop');
    await dialog.getByLabel('Condition 1: value', { exact: true }).fill('x');
    await dialog.getByLabel('Action 1', { exact: true }).selectOption('forward');
    await dialog.getByLabel('Action 1: address', { exact: true }).fill('nobody');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    await checkAccess(page);
    await page.context().close();
  });

  test('a vacation starts and ends at midnight in the time zone of the owner, and can be turned off', async () => {
    const context = { timezoneId: 'America/New_York' };
    const page = await openSettings('vacation', 'Vacation', { as: 'away', context });
    await button(page, 'Turn on').click();
    await page.getByText('Enter at most 16 KB of text').waitFor();
    await page.getByLabel('Message', { exact: true }).fill('I will be back on Monday.');
    await page.getByLabel('First day', { exact: true }).fill('2030-07-01');
    await page.getByLabel('Last day', { exact: true }).fill('2030-07-05');
    await checkAccess(page);
    await button(page, 'Turn on').click();
    await page.getByText('Scheduled').waitFor();
    const { mailbox } = await client.mailbox('away');
    const { rows } = await sql<{ startsAt: Date; endsAt: Date }>`
      select starts_at, ends_at from mailbox_vacations where mailbox_id = ${mailbox.mailboxId}`.execute(
      client.service.database,
    );
    assert.deepEqual(
      [rows[0]?.startsAt.toISOString(), rows[0]?.endsAt.toISOString()],
      ['2030-07-01T04:00:00.000Z', '2030-07-06T04:00:00.000Z'],
    );
    await soon(async () =>
      assert.equal(await page.getByLabel('Last day', { exact: true }).inputValue(), '2030-07-05'),
    );
    await button(page, 'Turn off').click();
    await page.getByText('Off', { exact: true }).waitFor();
    await page.context().close();
  });

  test('mail can be forwarded to a mailbox of the project, but not to an invalid address', async () => {
    const { user } = await client.mailbox('target');
    const page = await openSettings('forwarding', 'Forwarding', { as: 'forwards' });
    await page.getByLabel('Forward to', { exact: true }).fill('nobody');
    await button(page, 'Turn on').click();
    await page.locator('[aria-invalid=true]').waitFor();
    await page.getByLabel('Forward to', { exact: true }).fill(user);
    await button(page, 'Turn on').click();
    await page.getByText('On', { exact: true }).waitFor();
    await checkAccess(page);
    await button(page, 'Turn off').click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Turn off', exact: true }).click();
    await page.getByText('Off', { exact: true }).waitFor();
    await page.context().close();
  });

  test('a sender can be blocked and unblocked', async () => {
    const page = await openSettings('blocked', 'Blocked senders', { as: 'blocks', ...NARROW });
    await page.getByLabel('Sender', { exact: true }).fill('a b');
    await button(page, 'Block').click();
    await page.getByText('Enter an address such as').waitFor();
    await page.getByLabel('Sender', { exact: true }).fill('Spam@Shop.example');
    await page.keyboard.press('Enter');
    await button(page, 'Unblock spam@shop.example').waitFor();
    await checkAccess(page);
    await button(page, 'Unblock spam@shop.example').click();
    await page.getByText('No blocked senders').waitFor();
    await page.context().close();
  });

  test('a member opens a shared mailbox and replies from its address, until the access is revoked', async () => {
    const [owner, member] = [await client.mailbox('shares'), await client.mailbox('helps')];
    await client.append('shares', `From: carl@x.example\r\nTo: ${owner.user}\r\nSubject: When?\r\n\r\nWhen?`);
    const page = await openSettings('sharing', 'Sharing', { as: 'shares' });
    await page.getByText('No members yet').waitFor();
    await button(page, 'Add member').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Member', { exact: true }).fill('nobody@x.example');
    await dialog.getByLabel('Access', { exact: true }).selectOption('write');
    await dialog.getByLabel('Sending', { exact: true }).selectOption('as');
    await button(page, 'Add').click();
    await dialog.getByText('must be the address of a mailbox of this project').waitFor();
    await checkAccess(page);
    await dialog.getByLabel('Member', { exact: true }).fill(member.user);
    await button(page, 'Add').click();
    await page.getByRole('list', { name: 'Members', exact: true }).getByText(member.user).waitFor();
    await checkAccess(page);

    // Requests fail after the access is revoked.
    const other = await client.open('/inbox', { as: 'helps', isCut: true });
    await button(other, `Mailbox ${member.user}`).click();
    await other.getByRole('menuitem', { name: new RegExp(owner.user) }).click();
    const from = other.getByRole('combobox', { name: 'From' });
    await other.getByRole('link', { name: /When\?/ }).waitFor();
    await button(other, 'Compose').click();
    await soon(async () => assert.equal(await from.inputValue(), owner.user));
    await other.keyboard.press('Escape');
    await from.waitFor({ state: 'detached' });
    await other.getByRole('link', { name: /When\?/ }).click();
    await button(other, 'Reply').click();
    await soon(async () => assert.equal(await from.inputValue(), owner.user));
    await checkAccess(other);

    await button(page, `Revoke access of ${member.user}`).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('No members yet').waitFor();
    await page.context().close();
    await other.getByText(`${owner.user} is no longer shared with you.`).waitFor();
    await other.context().close();
  });

  test('a subfolder can be created, renamed, moved, and deleted after a warning', async () => {
    const page = await openSettings('folders', 'Folders', { as: 'folders' });
    const create = async (name: string, parent?: string): Promise<void> => {
      await button(page, 'Create folder').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name', { exact: true }).fill(name);
      if (parent !== undefined)
        await dialog.getByLabel('Parent folder', { exact: true }).selectOption(parent);
      await dialog.getByRole('button', { name: 'Create', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await create('Work');
    await create('2027', 'Work');
    await button(page, 'Rename or move Work/2027').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Old');
    await dialog.getByLabel('Parent folder', { exact: true }).selectOption('');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await button(page, 'Delete Old').waitFor();
    await client.append('folders', 'Subject: x\r\n\r\ny', { folder: 'Old' });
    await page.reload();
    await checkAccess(page);
    await button(page, 'Delete Old').click();
    const alert = page.getByRole('alertdialog');
    await alert.getByText('Its 1 message is deleted immediately').waitFor();
    await alert.getByRole('button', { name: 'Delete', exact: true }).click();
    await button(page, 'Delete Old').waitFor({ state: 'detached' });
    await page.context().close();
  });

  test('identities have a name, a formatted signature and a Reply-To, and can be deleted', async () => {
    const page = await openSettings('writing', 'Writing', { as: 'writes' });
    const { user, mailbox } = await client.mailbox('writes');
    await button(page, `Edit ${user}`).click();
    const edit = page.getByRole('dialog', { name: 'Edit identity', exact: true });
    await edit.getByLabel('Name', { exact: true }).fill('Ann Lee');
    await edit.getByRole('textbox', { name: 'Signature', exact: true }).click();
    await page.keyboard.press('ControlOrMeta+b');
    await page.keyboard.type('Ann <b>');
    await checkAccess(page);
    await edit.getByRole('button', { name: 'Save', exact: true }).click();
    await button(page, `Edit Ann Lee <${user}>`).waitFor();
    const { displayName, signatureHtml } = await client.service.database
      .selectFrom('mailboxes')
      .select(['displayName', 'signatureHtml'])
      .where('id', '=', mailbox.mailboxId)
      .executeTakeFirstOrThrow();
    assert.equal(displayName, 'Ann Lee');
    assert.match(signatureHtml ?? '', /<strong>Ann &lt;b&gt;<\/strong>/);

    await button(page, 'Add identity').click();
    const add = page.getByRole('dialog', { name: 'Add identity', exact: true });
    await add.getByLabel('Name', { exact: true }).fill('Desk');
    await add.getByLabel('Reply-To', { exact: true }).fill('not an address');
    await add.getByRole('button', { name: 'Save', exact: true }).click();
    await add.locator('[aria-invalid=true]').waitFor();
    await add.getByLabel('Reply-To', { exact: true }).fill('desk@acme.example');
    await add.getByLabel('Default for this address', { exact: true }).check();
    await add.getByRole('button', { name: 'Save', exact: true }).click();
    const rows = page.getByRole('list', { name: 'Identities', exact: true }).getByRole('listitem');
    await soon(async () => assert.match((await rows.first().textContent()) ?? '', /Desk.*Default/));
    await button(page, `Delete Desk <${user}>`).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await button(page, `Delete Desk <${user}>`).waitFor({ state: 'detached' });
    await page.context().close();
  });

  test('canned responses are added, changed and deleted on a phone, and the time to undo is chosen', async () => {
    const page = await openSettings('writing', 'Writing', { as: 'answers', ...NARROW });
    await button(page, 'Add response').click();
    const add = page.getByRole('dialog', { name: 'Add canned response', exact: true });
    await add.getByLabel('Name', { exact: true }).fill('Hours');
    await add.getByRole('textbox', { name: 'Text', exact: true }).click();
    await page.keyboard.type('Nine to five');
    await checkAccess(page);
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
    await add.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Nine to five').waitFor();
    await button(page, 'Edit Hours').click();
    const edit = page.getByRole('dialog', { name: 'Edit canned response', exact: true });
    await edit.getByText('Nine to five').waitFor();
    await edit.getByLabel('Name', { exact: true }).fill('Opening hours');
    await edit.getByRole('button', { name: 'Save', exact: true }).click();
    await button(page, 'Delete Opening hours').click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('No canned responses yet').waitFor();
    await page.getByLabel('Time to undo', { exact: true }).selectOption('30 seconds');
    await page.getByText('Saved').first().waitFor();
    await page.reload();
    await soon(async () =>
      assert.equal(await page.getByLabel('Time to undo', { exact: true }).inputValue(), '30'),
    );
    await checkAccess(page);
    await page.context().close();
  });

  test('the light or dark theme is chosen for this browser', async () => {
    await client.append('themed', 'Subject: Plain\r\nContent-Type: text/html\r\n\r\n<p>No colors</p>');
    const page = await openSettings('reading', 'Reading', { as: 'themed' });
    const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const light = await ground();
    await page.getByRole('radio', { name: 'Dark', exact: true }).check();
    await soon(async () => assert.notEqual(await ground(), light));
    await checkAccess(page);
    await page.goto(page.url().replace(/settings.*/, 'inbox'));
    await page.getByRole('link', { name: 'Plain' }).click();
    await page.frameLocator('iframe[title=Message]').getByText('No colors').waitFor();
    assert.match((await page.locator('iframe[title=Message]').getAttribute('src')) ?? '', /theme=dark/);
    assert.notEqual(await ground(), light);
    await page.goto(page.url().replace(/inbox.*/, 'settings/reading'));
    await page.getByRole('radio', { name: 'System', exact: true }).check();
    await soon(async () => assert.equal(await ground(), light));
    await page.context().close();
  });

  test('reading settings are saved, and notifications are turned on only with the permission of the browser', async () => {
    const { mailbox } = await client.mailbox('reads');
    await trustSender(client.service.database, mailbox, 'news@shop.example', true);
    const page = await openSettings('reading', 'Reading', { as: 'reads' });
    await button(page, 'Remove news@shop.example').click();
    await button(page, 'Remove news@shop.example').waitFor({ state: 'detached' });
    await page.getByLabel('Always show', { exact: true }).click();
    await page.getByRole('radio', { name: 'Always show', exact: true, checked: true }).waitFor();
    await page.getByLabel('Newest message first', { exact: true }).click();
    await page.getByRole('radio', { name: 'Newest message first', exact: true, checked: true }).waitFor();
    const saved = page.waitForResponse(
      (response) =>
        response.request().method() === 'PATCH' && /star/.test(response.request().postData() ?? ''),
    );
    await page.getByLabel('Swipe left', { exact: true }).selectOption('star');
    await saved;
    await checkAccess(page);
    await page.reload();
    await page.getByRole('radio', { name: 'Always show', exact: true, checked: true }).waitFor();
    await soon(async () =>
      assert.equal(await page.getByLabel('Swipe left', { exact: true }).inputValue(), 'star'),
    );
    await page.getByRole('link', { name: 'Notifications', exact: true }).click();
    await heading(page, 'Notifications').waitFor();
    await soon(async () => assert.equal(await page.getByLabel('Off', { exact: true }).isChecked(), true));
    await page.getByLabel('New mail, without details', { exact: true }).click();
    await page.getByRole('alert').waitFor();
    await checkAccess(page);
    await page.context().grantPermissions(['notifications']);
    // Private windows, which tests use, cannot subscribe (mail-push.test.ts).
    await page.evaluate('delete window.PushManager');
    await page.getByLabel('New mail, without details', { exact: true }).click();
    await soon(async () => assert.ok(await page.evaluate(`Object.values(localStorage).includes('bare')`)));
    await page.context().close();
  });
});
