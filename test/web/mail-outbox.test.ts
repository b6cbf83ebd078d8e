/** Sending and changing mail without a connection. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { NO_BROWSER } from '../support/browser.ts';
import { openMailClient, type OpenedMailClient } from '../support/mail-client.ts';
import { soon } from '../support/soon.ts';
import { checkAccess } from '../support/watched-page.ts';

suite('the Outbox of the web client', { skip: NO_BROWSER }, () => {
  let client: OpenedMailClient;
  before(async () => {
    client = await openMailClient();
  });
  after(() => client[Symbol.asyncDispose]());

  const raw = (subject: string) =>
    `From: Grace <grace@elsewhere.example>\r\nSubject: ${subject}\r\n\r\nAt noon?`;
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const outbox = (page: Page) => page.getByRole('link', { name: /^Outbox/ });
  /** Waits until the code of the Outbox is loaded. Its page is loaded first. */
  const ready = (page: Page) =>
    soon(async () =>
      assert.ok(
        await page.evaluate(
          `performance.getEntriesByType('resource').some(({ name }) => /\\/outbox-/.test(name))`,
        ),
      ),
    );

  /** Opens the Inbox with a new message that is ready to be sent, then cuts the connection. */
  async function writes(localPart: string, subject: string, viewport?: { width: number; height: number }) {
    const { user } = await client.mailbox('bo');
    await client.append(localPart, raw('Before'));
    const page = await client.open('/inbox', { as: localPart, isCut: true, ...(viewport && { viewport }) });
    await ready(page);
    await page.locator('body').press('c');
    await page.getByLabel('To', { exact: true }).fill(`${user},`);
    await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
    await page.context().setOffline(true);
    await page.getByLabel('Subject', { exact: true }).fill(subject);
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill('As agreed.');
    return page;
  }
  /** Counts the messages that were sent, or are about to be. */
  async function sent(localPart: string, subject: string): Promise<number> {
    const { mailbox } = await client.mailbox(localPart);
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from drafts
      where mailbox_id = ${mailbox.mailboxId} and content ->> 'subject' = ${subject} and (sends_at is not null or sent_at is not null)`.execute(
      client.service.database,
    );
    return rows[0]?.count ?? 0;
  }
  const databases = (page: Page) => page.evaluate<number>('indexedDB.databases().then((all) => all.length)');

  test('a message that is sent without a connection waits in the Outbox, and is sent once when the connection is back', async () => {
    const page = await writes('sends', 'Offer');
    await button(page, 'Send').click();
    await page.getByText('The message is in the Outbox').waitFor();
    await outbox(page).click();
    await page.getByRole('listitem').filter({ hasText: 'Offer' }).waitFor();
    await checkAccess(page);
    // The page has the code of the list now, so another tab is not needed to see that nothing was sent.
    assert.equal(await sent('sends', 'Offer'), 0);
    await page.context().setOffline(false);
    await page.getByText('The Outbox is empty').waitFor();
    assert.equal(await sent('sends', 'Offer'), 1);
    await soon(async () => assert.equal(await databases(page), 0));
    await page.context().close();
  });

  test('if the response to sending is lost, the message is not sent twice', async () => {
    const { user } = await client.mailbox('bo');
    const page = await client.open('/inbox', { as: 'lost', isCut: true });
    await ready(page);
    await page.locator('body').press('c');
    await page.getByLabel('To', { exact: true }).fill(`${user},`);
    await page.getByLabel('Subject', { exact: true }).fill('Once');
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Only once.');
    await page.getByText(/^Saved \d/).waitFor();
    await page.route(/\/send$/, async (route) => {
      await route.fetch();
      await page.context().setOffline(true);
      await route.abort();
    });
    await button(page, 'Send').click();
    await page.getByText('The message is in the Outbox').waitFor();
    await page.unroute(/\/send$/);
    await outbox(page).click();
    await page.getByText('The connection was lost while this message was sent.').waitFor();
    assert.equal(await button(page, 'Edit “Once”').count(), 0);
    await page.context().setOffline(false);
    await page.getByText('The Outbox is empty').waitFor();
    assert.equal(await sent('lost', 'Once'), 1);
    await page.context().close();
  });

  test('a message in the Outbox can be changed and deleted, on a phone too', async () => {
    const page = await writes('edits', 'First', { width: 390, height: 844 });
    await button(page, 'Send').click();
    await page.getByText('The message is in the Outbox').waitFor();
    await button(page, 'Folders').click();
    await outbox(page).click();
    await checkAccess(page);
    await button(page, 'Edit “First”').click();
    await page.getByLabel('Subject', { exact: true }).fill('Second');
    assert.equal(await page.getByRole('textbox', { name: 'Message', exact: true }).innerText(), 'As agreed.');
    await button(page, 'Send').click();
    await button(page, 'Delete “Second”').click();
    await page.getByText('The Outbox is empty').waitFor();
    await page.context().setOffline(false);
    assert.deepEqual([await sent('edits', 'First'), await sent('edits', 'Second')], [0, 0]);
    await page.context().close();
  });

  test('signing out deletes the Outbox', async () => {
    const page = await writes('leaves', 'Never');
    await button(page, 'Send').click();
    await page.getByText('The message is in the Outbox').waitFor();
    assert.equal(await databases(page), 1);
    await page.getByRole('button', { name: /^Mailbox / }).click();
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await soon(async () => assert.equal(await databases(page), 0));
    await page.context().close();
  });

  test('actions without a connection are shown at once, and done in their order when it is back', async () => {
    await client.append('acts', [raw('Lunch'), raw('Boat'), raw('Stays')]);
    const page = await client.open('/inbox', { as: 'acts', isCut: true });
    const row = (name: string) =>
      page.getByRole('listitem').filter({ has: page.getByRole('link', { name: new RegExp(`${name}$`) }) });
    await row('Lunch').waitFor();
    await ready(page);
    await page.context().setOffline(true);
    await row('Boat').getByRole('button', { name: 'Star' }).click();
    await row('Boat').getByRole('button', { name: 'Remove star' }).waitFor();
    await row('Lunch').hover();
    await row('Lunch').getByRole('button', { name: 'Archive' }).click();
    await row('Lunch').waitFor({ state: 'detached' });
    await row('Stays').hover();
    await row('Stays').getByRole('button', { name: 'Archive' }).click();
    await row('Stays').waitFor({ state: 'detached' });
    await button(page, 'Undo').last().click();
    await row('Stays').waitFor();
    const { mailbox } = await client.mailbox('acts');
    const state = async () =>
      (
        await sql<{ subject: string; role: string; flags: number }>`
          select c.subject, f.role, m.flags from messages m
          join folders f on f.id = m.folder_id
          join message_contents c on c.mailbox_id = m.mailbox_id and c.object_id = m.object_id
          where m.mailbox_id = ${mailbox.mailboxId} order by c.subject`.execute(client.service.database)
      ).rows.map(({ subject, role, flags }) => [subject, role, flags & 4]);
    // Mail that arrives in the meantime in the same conversation stays in the Inbox.
    await client.append('acts', raw('Re: Lunch'));
    await page.context().setOffline(false);
    await soon(async () =>
      assert.deepEqual(await state(), [
        ['Boat', 'inbox', 4],
        ['Lunch', 'archive', 0],
        ['Re: Lunch', 'inbox', 0],
        ['Stays', 'inbox', 0],
      ]),
    );
    await soon(async () => assert.equal(await databases(page), 0));
    await page.context().close();
  });
});
