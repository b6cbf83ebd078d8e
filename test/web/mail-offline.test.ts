/** The offline copy: off by default, readable without a connection, and deleted with the session. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { shareMailbox } from '../../src/mailboxes/sharing/grants.ts';
import { encodeId } from '../../src/model/ids.ts';
import { FLAG } from '../../src/store/flags.ts';
import type { OfflineAccounts } from '../../web/mail/offline/names.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { openMailClient, type OpenedMailClient } from '../support/mail-client.ts';
import { checkAccess } from '../support/watched-page.ts';
import { soon } from '../support/soon.ts';

suite('offline copy of the web client', { skip: NO_BROWSER }, () => {
  let client: OpenedMailClient;
  before(async () => {
    client = await openMailClient();
  });
  after(() => client[Symbol.asyncDispose]());

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
  const choice = (page: Page) => page.getByLabel(/^Keep the last 200 conversations/);

  /** Counts the items of each kind that the browser stores for the web client. */
  const stored = (page: Page) =>
    page.evaluate(`(async () => ({
      caches: (await caches.keys()).length,
      databases: (await indexedDB.databases()).length,
      workers: (await navigator.serviceWorker.getRegistrations()).length,
      items: Object.keys(localStorage).filter((key) => key.includes('mbx_')).length,
    }))()`);
  const NOTHING = { caches: 0, databases: 0, workers: 0, items: 0 };

  async function openWithCopy(localPart: string): Promise<Page> {
    await client.append(localPart, [
      'Subject: Lunch\r\nFrom: grace@elsewhere.example\r\n\r\nAt noon?',
      'Subject: Boat\r\nFrom: ada@elsewhere.example\r\nContent-Type: text/html\r\n\r\n<p>It <b>floats</b>.</p>',
    ]);
    const page = await client.open('/settings/reading', { as: localPart, isCut: true });
    await heading(page, 'Reading').waitFor();
    await choice(page).check();
    await page.getByText('The copy is up to date.').waitFor();
    await checkAccess(page);
    return page;
  }

  test('the offline copy is off by default, and the browser stores no mail', async () => {
    await client.append('plain', 'Subject: Lunch\r\n\r\nAt noon?');
    const page = await client.open('/inbox', { as: 'plain' });
    await page.getByRole('button', { name: /^Mailbox / }).waitFor();
    await page.goto(page.url().replace('/inbox', '/settings/reading'));
    await heading(page, 'Reading').waitFor();
    await soon(async () => assert.equal(await choice(page).isChecked(), false));
    await soon(async () => assert.deepEqual(await stored(page), NOTHING));
    await page.context().close();
  });

  test('the offline copy shows conversations without a connection, and is deleted when the user turns it off', async () => {
    const page = await openWithCopy('keeps');
    const texts = await page.evaluate<string>(`(async () => {
      const found = [];
      for (const name of await caches.keys())
        for (const request of await (await caches.open(name)).keys())
          if (request.url.includes('/mail/')) found.push(await (await caches.match(request)).text());
      return found.join(' ');
    })()`);
    for (const words of ['Lunch', 'Boat', 'At noon?', 'It floats.']) assert.ok(texts.includes(words), words);
    assert.match(texts, /"csrf_token":""/, 'a token was stored');
    await page.context().setOffline(true);
    await page.reload();
    await heading(page, 'Reading').waitFor();
    await page.getByText('You are offline.').waitFor();
    await soon(async () => assert.equal(await choice(page).isChecked(), true));
    await page.goto(page.url().replace('/settings/reading', '/inbox'));
    await page.getByRole('link', { name: 'Lunch' }).first().click();
    await page.getByRole('article').getByText('At noon?').waitFor();
    await page.getByRole('link', { name: 'Boat' }).first().click();
    await page.getByRole('article').getByText('It floats.').waitFor();
    await page.goto(page.url().replace(/\/inbox.*/, '/settings/reading'));
    await page.context().setOffline(false);
    await choice(page).uncheck();
    await soon(async () =>
      assert.ok(await page.evaluate('caches.keys().then((names) => names.length === 0)')),
    );
    await soon(async () => assert.deepEqual(await stored(page), NOTHING));
    await page.context().close();
  });

  test('shared mailboxes stay open, with their tokens, while the worker responds to the refresh of the accounts', async () => {
    const { mailbox, user } = await client.mailbox('desk');
    await client.append('desk', 'Subject: Order\r\n\r\nTwo, please.');
    const { user: member } = await client.mailbox('member');
    await shareMailbox(client.service.database, mailbox, { member, access: 'write', sending: 'none' });
    const page = await openWithCopy('member');
    // As if the server were down: the browser itself is online.
    await page.addInitScript('addEventListener("offline", (event) => event.stopImmediatePropagation())');
    await page.clock.install();
    await page.goto(page.url().replace(/\/mail\/.*/, `/mail/${encodeURIComponent(user)}/inbox`));
    const order = page.getByRole('link', { name: 'Unread: Order', exact: true });
    await order.waitFor();
    await page.context().setOffline(true);
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/mail/api/session')),
      page.clock.fastForward(61_000),
    ]);
    const { accounts, is_offline: isOffline } = (await answer.json()) as OfflineAccounts;
    assert.deepEqual([accounts.map(({ address }) => address), isOffline], [[member], true]);
    await page.context().setOffline(false);
    await page.getByRole('listitem').filter({ has: order }).getByRole('button', { name: 'Star' }).click();
    await soon(async () => {
      const { rows } = await sql<{ flags: number }>`
        select flags from messages where mailbox_id = ${mailbox.mailboxId}`.execute(client.service.database);
      assert.deepEqual(
        rows.map(({ flags }) => flags & FLAG.flagged),
        [FLAG.flagged],
      );
    });
    await page.context().close();
  });

  test('the offline copy is deleted when the user signs out', async () => {
    const page = await openWithCopy('leaves');
    await page.getByRole('button', { name: /^Mailbox / }).click();
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await heading(page, 'Sign in to your mailbox').waitFor();
    await soon(async () => assert.deepEqual(await stored(page), NOTHING));
    await page.context().close();
  });

  test('the offline copy is deleted when the user signs out without a connection', async () => {
    const page = await openWithCopy('cut');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: /^Mailbox / }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await soon(async () =>
      assert.ok(await page.evaluate('caches.keys().then((names) => names.length === 0)')),
    );
    await page.context().close();
  });

  test('the offline copy is deleted once the browser is notified that its session was ended elsewhere', async () => {
    const page = await openWithCopy('ended');
    const { mailbox } = await client.mailbox('ended');
    await client.service.database
      .deleteFrom('webSessions')
      .where('mailboxId', '=', mailbox.mailboxId)
      .execute();
    const id = encodeId('mbx', mailbox.mailboxId);
    await soon(async () =>
      assert.ok(
        await page.evaluate(
          `fetch('/mail/api/mailboxes/${id}/folders').then(({ status }) => status === 401)`,
        ),
      ),
    );
    await page.reload();
    await heading(page, 'Sign in to your mailbox').waitFor();
    const names = await page.evaluate<string[]>('caches.keys()');
    assert.ok(!names.some((name) => name.includes('mbx_')), names.join());
    await page.context().close();
  });
});
