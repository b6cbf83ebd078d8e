/** Shared mailboxes in the web client: the section in the menu, what members are offered, who answered, and the end of the access. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import { createTransport } from 'nodemailer';
import { shareMailbox, unshareMailbox } from '../../src/mailboxes/sharing/grants.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { type OpenedMailClient, openMailClient } from '../support/mail-client.ts';
import { soon } from '../support/soon.ts';
import { checkAccess } from '../support/watched-page.ts';

const NARROW = { width: 390, height: 844 };
const MANY = 50;

suite('shared mailboxes in the web client', { skip: NO_BROWSER }, () => {
  let client: OpenedMailClient;

  before(async () => {
    client = await openMailClient();
  });
  after(() => client[Symbol.asyncDispose]());

  async function share(
    shared: string,
    member: string,
    access: 'read' | 'write',
    sending: 'none' | 'as' = 'none',
  ) {
    const { user } = await client.mailbox(member);
    await shareMailbox(client.service.database, (await client.mailbox(shared)).mailbox, {
      member: user,
      access,
      sending,
    });
  }

  test('shared mailboxes are listed below the own folders, and open with the keyboard beside an open composer', async () => {
    for (let n = 0; n < MANY; n++) await share(`team${n}`, 'maria', n === 0 ? 'read' : 'write');
    await client.append('team7', 'Subject: For the team\r\n\r\nHello');
    const [{ user }, { user: other }] = [await client.mailbox('team7'), await client.mailbox('team8')];
    await client.append('team8', 'Subject: Also for the team\r\n\r\nHello');
    await client.append('team7', 'Subject: Half an answer\r\n\r\nWe', {
      folder: 'Drafts',
      flags: ['\\Draft', '\\Seen'],
    });
    const page = await client.open('/inbox', { as: 'maria' });
    const list = page.getByRole('list', { name: 'Shared with me', exact: true });
    await list.waitFor();
    assert.equal(await list.getByRole('link').count(), MANY);
    assert.match((await list.getByRole('listitem').first().textContent()) ?? '', /Read only/);
    const link = list.getByRole('link', { name: `${user} 1 unread`, exact: true });
    const toggle = list.getByRole('button', { name: `Folders of ${user}`, exact: true });
    assert.equal(await toggle.getAttribute('aria-expanded'), 'false');
    await toggle.press('Enter');
    const folders = page.getByRole('list', { name: `Folders of ${user}`, exact: true });
    await folders.getByRole('link', { name: 'Archive', exact: true }).waitFor();
    assert.equal(await link.getAttribute('aria-current'), null);
    await page.keyboard.press('c');
    const subject = page.getByRole('textbox', { name: 'Subject', exact: true });
    await subject.fill('A note');
    await link.press('Enter');
    await page.getByRole('link', { name: 'Unread: For the team', exact: true }).waitFor();
    // The draft is in the own mailbox, so the composer stays open.
    assert.equal(await subject.inputValue(), 'A note');
    assert.equal(await link.getAttribute('aria-current'), 'true');
    // The menu is rendered again, and still shows the open mailbox.
    await soon(async () => assert.ok(await link.isVisible()));
    await checkAccess(page);
    // The own folders stay above, and lead back.
    await page
      .getByRole('navigation', { name: 'Folders' })
      .getByRole('link', { name: 'Inbox' })
      .first()
      .press('Enter');
    await page.waitForURL(/maria.*\/inbox/);

    // A draft of the shared mailbox cannot be edited in the own mailbox.
    await folders.getByRole('link', { name: /^Drafts/ }).click();
    await page.getByRole('link', { name: 'Half an answer', exact: true }).click();
    const draft = page.getByRole('article');
    await draft.getByRole('button', { name: 'Star', exact: true }).waitFor();
    assert.equal(await draft.getByRole('button', { name: /Edit draft|Reply/ }).count(), 0);
    assert.equal(await subject.inputValue(), 'A note');

    // The count stays right after the user leaves a mailbox.
    await list.getByRole('link', { name: `${other} 1 unread`, exact: true }).click();
    await page.getByRole('link', { name: 'Unread: Also for the team', exact: true }).click();
    const read = list.getByRole('link', { name: other, exact: true });
    await read.waitFor();
    await link.click();
    await page.waitForURL(/team7/);
    assert.ok(await read.isVisible());

    // After the session has ended, the member signs in, because no one can sign in to the shared mailbox.
    const { mailbox, user: maria } = await client.mailbox('maria');
    await client.service.database
      .deleteFrom('webSessions')
      .where('mailboxId', '=', mailbox.mailboxId)
      .execute();
    const address = page.getByRole('textbox', { name: 'Address', exact: true });
    await soon(async () => {
      await page.keyboard.press('N');
      assert.equal(await address.inputValue({ timeout: 500 }), maria);
    });
    await page.context().close();
  });

  test('a mailbox that is shared with two members of the browser opens as the member whose page links to it', async () => {
    await share('desk', 'reader', 'read');
    await share('desk', 'writer', 'write');
    const { user } = await client.mailbox('desk');
    const { user: reader } = await client.mailbox('reader');
    const page = await client.open('/settings/sharing', { as: ['reader', 'writer'] });
    await page
      .getByRole('main')
      .getByRole('link', { name: `Open ${user}`, exact: true })
      .click();
    const list = page.getByRole('region', { name: 'List', exact: true });
    await list.getByText('Read only', { exact: true }).waitFor();
    const own = page
      .getByRole('navigation', { name: 'Folders' })
      .getByRole('link', { name: 'Inbox' })
      .first();
    assert.match((await own.getAttribute('href')) ?? '', new RegExp(encodeURIComponent(reader)));
    await page.context().close();
  });

  test('an answer is sent as the member who began it, also after a reload, and no other member takes over', async () => {
    await share('counter', 'anna', 'read', 'as');
    await share('counter', 'boris', 'write', 'as');
    const [counter, anna, carl] = [
      await client.mailbox('counter'),
      await client.mailbox('anna'),
      await client.mailbox('carl'),
    ];
    const { database } = client.service;
    await client.append(
      'counter',
      `From: ${carl.user}\r\nTo: ${counter.user}\r\nMessage-ID: <hours@x.example>\r\nSubject: Hours\r\n\r\nWhen?`,
    );
    const page = await client.open('/settings/sharing', { as: ['anna', 'boris'], isCut: true });
    await page
      .getByRole('main')
      .getByRole('link', { name: `Open ${counter.user}`, exact: true })
      .click();
    await page.getByRole('link', { name: 'Unread: Hours', exact: true }).click();
    await page
      .getByRole('article')
      .getByRole('button', { name: /^Reply \(r\)/ })
      .click();
    const text = page.getByRole('textbox', { name: 'Message', exact: true });
    await text.waitFor();
    await page.reload();
    await text.fill('At nine.');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await soon(async () => {
      const { rows } = await sql<{ sentBy: string }>`
        select sent_by from message_contents
        where mailbox_id = ${counter.mailbox.mailboxId} and sent_by is not null`.execute(database);
      assert.deepEqual(rows, [{ sentBy: anna.user }]);
    });

    await unshareMailbox(database, counter.mailbox, anna.user);
    await page.reload();
    await page.getByRole('alert').getByText(`${counter.user} is no longer shared with you.`).waitFor();
    await page.getByRole('button', { name: `Mailbox ${anna.user}`, exact: true }).waitFor();
    await database.deleteFrom('webSessions').where('mailboxId', '=', anna.mailbox.mailboxId).execute();
    await page.goto(page.url());
    const address = page.getByRole('textbox', { name: 'Address', exact: true });
    await soon(async () => assert.equal(await address.inputValue({ timeout: 500 }), anna.user));
    await page.context().close();
  });

  test('a member with the access read is not offered changes, sees who answered, and sees a notice when the access ends', async () => {
    await share('sales', 'nina', 'read');
    await share('sales', 'olaf', 'read', 'as');
    const [sales, nina, olaf] = [
      await client.mailbox('sales'),
      await client.mailbox('nina'),
      await client.mailbox('olaf'),
    ];
    await client.service.database
      .updateTable('mailboxes')
      .set({ displayName: 'Olaf Berg' })
      .where('id', '=', olaf.mailbox.mailboxId)
      .execute();
    await client.append(
      'sales',
      `From: carl@x.example\r\nTo: ${sales.user}\r\nMessage-ID: <q@x.example>\r\nSubject: A price\r\n\r\nHow much?`,
    );
    const app = createTransport({
      host: '127.0.0.1',
      port: client.service.submissionPort,
      auth: { user: olaf.user, pass: olaf.password },
      ignoreTLS: true,
    });
    await app.sendMail({
      from: sales.user,
      to: nina.user,
      subject: 'Re: A price',
      inReplyTo: '<q@x.example>',
      references: '<q@x.example>',
      text: 'Ten.',
    });
    app.close();
    const page = await client.open('/settings/sharing', { as: 'nina', viewport: NARROW, isCut: true });
    await page.getByRole('link', { name: `Open ${sales.user}`, exact: true }).click();
    await page.getByRole('region', { name: 'List' }).getByText('Read only', { exact: true }).waitFor();
    const row = page.getByRole('listitem').filter({ hasText: 'A price' });
    await row.getByText(/^Answered by Olaf Berg \(olaf@.*\), \d/).waitFor({ state: 'attached' });
    assert.equal(await page.getByRole('checkbox').count(), 0);
    assert.equal(await row.getByRole('button').count(), 0);
    await checkAccess(page);
    await row.getByRole('link', { name: /A price/ }).click();
    const first = page.getByRole('article').first();
    await first
      .getByText(/Answered by Olaf Berg/)
      .first()
      .waitFor({ state: 'attached' });
    const bar = page.getByRole('toolbar', { name: 'This conversation', exact: true });
    assert.equal(await bar.getByRole('button', { name: /Archive|Trash|Move|Mark|Star/ }).count(), 0);
    await page.keyboard.press('e');
    await page.getByText('You can only read this shared mailbox').waitFor();
    await checkAccess(page);

    await unshareMailbox(client.service.database, sales.mailbox, nina.user);
    await page.getByRole('alert').getByText(`${sales.user} is no longer shared with you.`).waitFor();
    await checkAccess(page);
    await page.getByRole('link', { name: 'Go to your Inbox', exact: true }).click();
    await page.waitForURL(/nina.*\/inbox/);
    await page.getByRole('button', { name: 'Folders', exact: true }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Archive', exact: true }).waitFor();
    assert.equal(await page.getByText('Shared with me').count(), 0);
    await page.context().close();
  });
});
