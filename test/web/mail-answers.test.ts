/** Replies and forwards in the web client: shortcuts, quotes, the sender, and the reasons why a message cannot be sent. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import { encodeId } from '../../src/model/ids.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { type OpenedMailClient, openMailClient } from '../support/mail-client.ts';
import { soon } from '../support/soon.ts';
import { checkAccess } from '../support/watched-page.ts';

/** An image of one pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

suite('replies and drafts in the web client', { skip: NO_BROWSER }, () => {
  let client: OpenedMailClient;
  before(async () => {
    client = await openMailClient();
  });
  after(() => client[Symbol.asyncDispose]());

  const subject = (page: Page) => page.getByLabel('Subject', { exact: true });
  const text = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const row = (page: Page, name: string) =>
    page.getByRole('list', { name: 'Conversations' }).getByRole('link', { name });
  const saved = (page: Page) => page.getByText(/^Saved \d/).waitFor();
  const rejected = (page: Page, words: string) =>
    page.getByRole('alert').filter({ hasText: words }).waitFor();
  const raw = (headers: Readonly<Record<string, string>>, body: string) =>
    `${Object.entries({ Date: 'Mon, 3 Nov 2025 10:00:00 +0000', ...headers })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n${body}`;

  async function open(localPart: string, path: string, context = {}): Promise<Page> {
    const page = await client.open(path, { as: localPart, context });
    await page.getByRole('button', { name: /^Mailbox / }).waitFor();
    return page;
  }
  /** Closes the composer, which saves the draft. */
  async function close(page: Page): Promise<void> {
    await page.keyboard.press('Escape');
    await text(page).waitFor({ state: 'detached' });
  }

  test('the keys r, a and f reply to or forward the selected or open message, but not a draft', async () => {
    const { user } = await client.mailbox('keys');
    const [cy, dee] = ['Cy <cy@src.test>', 'Dee <dee@src.test>'];
    await client.append('keys', raw({ From: cy, To: `${user}, ${dee}`, Subject: 'Lunch' }, 'Shall we?'));
    const page = await open('keys', '/inbox');
    await row(page, 'Lunch').waitFor();
    const start = async (key: string, starts: string): Promise<void> => {
      await page.keyboard.press(key);
      await text(page).waitFor();
      assert.equal(await subject(page).inputValue(), starts);
    };
    await page.keyboard.press('j');
    await start('r', 'Re: Lunch');
    await button(page, 'Cy, cy@src.test').waitFor();
    await close(page);
    await page.keyboard.press('j');
    await start('a', 'Re: Lunch');
    await button(page, 'Dee, dee@src.test').waitFor();
    await close(page);
    await page.keyboard.press('j');
    await start('f', 'Fwd: Lunch');
    await close(page);

    await row(page, 'Lunch').click();
    await page.getByRole('article').getByText('Shall we?').waitFor();
    await start('r', 'Re: Lunch');
    await page.keyboard.type('Gladly');
    await saved(page);
    const folders = page.getByRole('navigation', { name: 'Folders' });
    await folders.getByRole('link', { name: 'Sent' }).click();
    await page.getByRole('heading', { name: 'Nothing sent yet' }).waitFor();
    // The reply is closed with its conversation, and is written on when the conversation is opened again.
    await text(page).waitFor({ state: 'detached' });
    await folders.getByRole('link', { name: 'Inbox' }).click();
    await row(page, 'Lunch').click();
    await text(page).getByText('Gladly').waitFor();
    await text(page).focus();
    await close(page);
    await page.getByRole('article').getByText('Draft', { exact: true }).waitFor();
    for (const name of ['Reply', 'Reply all', 'Forward']) await button(page, name).waitFor();
    await start('r', 'Re: Lunch');
    await button(page, 'Cy, cy@src.test').waitFor();
    assert.equal((await text(page).innerText()).trim(), '');
    await close(page);

    await folders.getByRole('link', { name: 'Drafts' }).click();
    // Drafts show recipients, unlike the row with the same subject in the Inbox.
    await page.getByRole('listitem').filter({ hasText: 'To: ' }).getByRole('link', { name: 'Lunch' }).click();
    await text(page).getByText('Gladly').waitFor();
    await page.context().close();
  });

  test('keys pressed before the editor has loaded do not archive the message', async () => {
    await client.append('hasty', raw({ From: 'Cy <cy@src.test>', Subject: 'Lunch' }, 'Shall we?'));
    const page = await open('hasty', '/inbox');
    // Without this, the browser loads the editor in advance.
    await page.addInitScript('requestIdleCallback = () => 0');
    await page.reload();
    await row(page, 'Lunch').waitFor();
    const editor = Promise.withResolvers<void>();
    await page.route(/\/desk-[^/]*\.js$/, async (route) => {
      await editor.promise;
      await route.continue();
    });
    const requested = page.waitForRequest(/\/desk-[^/]*\.js$/);
    await page.keyboard.press('j');
    await page.keyboard.press('r');
    await requested;
    await page.keyboard.press('e');
    editor.resolve();
    await text(page).waitFor();
    await close(page);
    await row(page, 'Lunch').waitFor();
    await page.context().close();
  });

  test('a quote shows the date in the time zone of the user, and includes the images of the message', async () => {
    await client.append(
      'quotes',
      raw(
        {
          From: 'Cy <cy@src.test>',
          Subject: 'The plan',
          'MIME-Version': '1.0',
          'Content-Type': 'multipart/related; boundary=b',
        },
        [
          '--b\r\nContent-Type: text/html\r\n\r\n<p>Look: <img src="cid:plan@src.test" alt="plan"></p>\r\n',
          `--b\r\nContent-Type: image/png\r\nContent-ID: <plan@src.test>\r\nContent-Transfer-Encoding: base64\r\n\r\n${PNG}\r\n`,
          '--b\r\nContent-Type: text/plain; name=notes.txt\r\nContent-Disposition: attachment; filename=notes.txt\r\n\r\nOnly for you\r\n--b--\r\n',
        ].join(''),
      ),
    );
    for (const [key, begins] of [
      ['r', 'On Mon, 3 Nov 2025 at 11:00 UTC+1, Cy <cy@src.test> wrote:'],
      ['f', 'Date: Mon, 3 Nov 2025 at 11:00 UTC+1'],
    ] as const) {
      const page = await open('quotes', '/inbox', { timezoneId: 'Europe/Berlin' });
      await row(page, 'The plan').waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press(key);
      await text(page).fill(`With ${key}`);
      await saved(page);
      // After the reload, the page opens the saved draft.
      await page.reload();
      await button(page, 'Quoted original').click();
      const quote = page.getByRole('group', { name: 'Quoted original' });
      await quote.getByText(begins).waitFor();
      await quote.getByRole('img', { name: 'plan' }).waitFor();
      const isDrawn = () =>
        page.evaluate<boolean>(`document.querySelector('img[alt="plan"]').naturalWidth === 1`);
      await soon(async () => assert.ok(await isDrawn()));
      assert.equal(await page.getByText('notes.txt').count(), key === 'f' ? 1 : 0);
      await checkAccess(page);
      await page.context().close();
    }
  });

  test('a reply is sent from the alias that received the message, and the reason for a rejection is shown', async () => {
    const { mailbox, user } = await client.mailbox('sells');
    const { database } = client.service;
    const api = client.service.client();
    const { body } = await api.post<{ id: string }>('/v1/domains', { domain: 'acme.test' });
    const mailboxIds = [encodeId('mbx', mailbox.mailboxId)];
    const { data } = (await api.get<{ data: { id: string; domain: string }[] }>('/v1/domains')).body;
    const own = data.find(({ domain }) => user.endsWith(`@${domain}`));
    for (const [domain_id, local_part] of [
      [own?.id, 'sales'],
      [body.id, 'info'],
    ])
      await api.post('/v1/aliases', { domain_id, local_part, mailbox_ids: mailboxIds });
    const alias = user.replace(/^sells/, 'sales');
    await client.append(
      'sells',
      raw({ From: 'Cy <cy@src.test>', To: alias, Subject: 'Price?' }, 'How much?'),
    );
    const page = await open('sells', '/inbox');
    await row(page, 'Price?').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('r');
    const from = page.getByRole('combobox', { name: 'From' });
    await from.waitFor();
    assert.equal(await from.inputValue(), alias);
    await text(page).fill('Ten.');

    await from.selectOption('info@acme.test');
    await button(page, 'Send').click();
    await rejected(page, 'acme.test is not a verified domain of the project');
    await checkAccess(page);
    await from.selectOption(alias);

    const limit = (dailySendLimit: number | null) =>
      database.updateTable('mailboxes').set({ dailySendLimit }).where('id', '=', mailbox.mailboxId).execute();
    await limit(0);
    await button(page, 'Send').click();
    await rejected(page, 'can send to 0 recipients in 24 hours');
    await limit(null);

    await button(page, 'Send').click();
    await button(page, 'Undo').waitFor();
    await page.context().close();
  });

  test('a message from a mailbox that is locked for sending is rejected and remains a draft', async () => {
    const { mailbox, user } = await client.mailbox('locked');
    await sql`insert into sending_locks (project_id, mailbox_id, locked_at, reason, counts_from)
      values (${mailbox.projectId}, ${mailbox.mailboxId}, now(), 'complained', now())`.execute(
      client.service.database,
    );
    const page = await open('locked', `/inbox?compose=${encodeURIComponent(user)}`);
    await subject(page).fill('To myself');
    await text(page).fill('Ten.');
    await button(page, 'Send').click();
    await rejected(page, 'is locked for sending');
    assert.equal((await text(page).innerText()).trim(), 'Ten.');
    await page.context().close();
  });

  test('a message sent before the sender addresses are loaded is sent once they are loaded', async () => {
    const { user } = await client.mailbox('quick');
    const page = await open('quick', '/inbox');
    const answered = Promise.withResolvers<void>();
    await page.route(/\/identities$/, async (route) => {
      await answered.promise;
      await route.continue();
    });
    await page.goto(page.url().replace(/inbox.*/, `inbox?compose=${encodeURIComponent(user)}`));
    await subject(page).fill('Quickly');
    await text(page).fill('Ten.');
    await button(page, 'Send').click();
    await page.getByText('Sending…').waitFor();
    answered.resolve();
    await button(page, 'Undo').waitFor();
    await page.context().close();
  });

  test('a draft edited in two tabs becomes two drafts, and the second tab shows a notice', async () => {
    const page = await open('twice', '/inbox?compose=new');
    await subject(page).fill('Two tabs');
    await text(page).fill('One');
    await saved(page);
    await page.waitForURL(/compose=msg_/);
    const other = await page.context().newPage();
    await other.goto(page.url());
    await text(other).getByText('One').waitFor();
    await text(page).fill('One, by the first');
    await Promise.all([page.waitForURL((url) => url.href !== other.url()), saved(page)]);
    await text(other).fill('One, by the second');
    await other.getByText('Your version was saved as a separate draft').waitFor();
    await other.goto(other.url().replace(/inbox.*/, 'drafts'));
    await other.getByText('One, by the first').waitFor();
    await other.getByText('One, by the second').waitFor();
    await page.context().close();
  });

  test('the upload of a file can be canceled, and the draft is then saved without the file', async () => {
    const page = await open('cancels', '/inbox?compose=new');
    await text(page).waitFor();
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: 20_000,
    });
    await page.setInputFiles('input[type=file]', {
      name: 'film.bin',
      mimeType: 'application/octet-stream',
      buffer: Buffer.alloc(4 * 1024 * 1024),
    });
    await page.getByRole('progressbar', { name: 'film.bin' }).waitFor();
    await checkAccess(page);
    await button(page, 'Cancel film.bin').click();
    await page.getByText('film.bin').waitFor({ state: 'detached' });
    await devTools.detach();
    await subject(page).fill('Without it');
    await saved(page);
    await page.context().close();
  });
});
