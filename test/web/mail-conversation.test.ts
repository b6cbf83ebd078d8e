/** A conversation in the web client: open messages, their senders, and the actions for a message. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import { sql } from 'kysely';
import type { Page, Route } from 'playwright-core';
import { BUSY_PAGE } from '../../src/doors/http/mail/messages/get-mail-message-html.ts';
import { insertSubmissions } from '../../src/sending/submit/insert-submissions.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { type OpenedMailClient, openMailClient } from '../support/mail-client.ts';
import { checkAccess } from '../support/watched-page.ts';
import { samplePdf } from '../support/sample-pdf.ts';
import { soon } from '../support/soon.ts';
import { newSubmission } from '../support/submissions.ts';
import { HOSTILE_MAIL, hostileMessage } from './hostile-mail.ts';

const NARROW = { width: 390, height: 844 };
/** An image of one pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

suite('conversation in the web client', { skip: NO_BROWSER }, () => {
  let client: OpenedMailClient;
  before(async () => {
    client = await openMailClient();
  });
  after(() => client[Symbol.asyncDispose]());

  const raw = (headers: Readonly<Record<string, string>>, body: string) =>
    `${Object.entries({ Date: 'Mon, 3 Nov 2025 10:00:00 +0000', ...headers })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n${body}`;
  const messages = (page: Page) =>
    page.getByRole('list', { name: 'Messages', exact: true }).getByRole('article');
  const titled = (page: Page, holds: (title: string) => boolean) =>
    soon(async () => {
      const title = await page.title();
      assert.ok(holds(title), title);
    });
  const openRow = (page: Page, name: string) => page.getByRole('link', { name }).click();

  test('unread messages are expanded and marked as read, and other messages are collapsed', async () => {
    const { user } = await client.mailbox('talk');
    const say = (n: number, from: string, text: string) =>
      raw(
        {
          From: from,
          To: user,
          Subject: n === 1 ? 'Lunch' : 'Re: Lunch',
          'Message-ID': `<${n}@talk.test>`,
          ...(n > 1 && {
            References: Array.from({ length: n - 1 }, (_, at) => `<${at + 1}@talk.test>`).join(' '),
          }),
        },
        text,
      );
    await client.append('talk', say(1, '"Ann Baker" <ann@dst.test>', 'On Thursday?'), { flags: ['\\Seen'] });
    await client.append('talk', [
      say(2, '"Ben" <ben@elsewhere.test>', 'At noon.'),
      say(
        3,
        '"Ann Baker" <ann@dst.test>',
        'Good: https://lunch.test/menu or mailto:cook@lunch.test\r\n\r\nBen wrote:\r\n> At noon.\r\n',
      ),
    ]);
    const page = await client.open('/inbox', { as: 'talk' });
    await openRow(page, 'Lunch');
    await page.locator('h1:focus', { hasText: 'Lunch' }).waitFor();
    await messages(page).getByText('Good:').waitFor();
    await messages(page).getByText('At noon.').first().waitFor();
    await soon(async () =>
      assert.equal(await page.getByRole('button', { name: /^Ann Baker/, expanded: false }).count(), 1),
    );
    // A sender can choose any name, so the address is shown beside the name.
    await page.getByText('<ben@elsewhere.test>').waitFor();
    await soon(async () =>
      assert.equal(
        await page.getByRole('link', { name: 'https://lunch.test/menu', exact: true }).getAttribute('rel'),
        'noopener noreferrer nofollow',
      ),
    );
    await page.getByRole('link', { name: 'mailto:cook@lunch.test', exact: true }).click();
    const composer = page.getByRole('dialog', { name: 'Compose', exact: true });
    await composer.getByRole('button', { name: 'cook@lunch.test', exact: true }).waitFor();
    await composer.getByRole('button', { name: 'Save and close', exact: true }).click();
    await composer.waitFor({ state: 'detached' });
    await titled(page, (title) => !title.startsWith('('));
    await soon(async () => assert.equal(await messages(page).getByText('At noon.').count(), 1));
    await page.getByRole('button', { name: 'Quoted text', exact: true }).click();
    await messages(page).getByText('At noon.').nth(1).waitFor();

    await page.getByRole('button', { name: 'to me Details', exact: true }).last().click();
    await page.getByText('<3@talk.test>').waitFor();
    await checkAccess(page);
    await page.keyboard.press('p');
    await page.keyboard.press('p');
    await page.keyboard.press('Enter');
    await page.getByText('On Thursday?').waitFor();

    await page.keyboard.press('U');
    await titled(page, (title) => title.startsWith('(3)'));
    await page.context().close();
  });

  test('HTML is shown in a frame without its scripts, and remote images load only on request', async () => {
    await client.append(
      'html',
      raw(
        { From: 'Shop <shop@src.test>', Subject: 'Your order', 'Content-Type': 'text/html' },
        '<h2>Thank you</h2><script>document.body.textContent = "ran"</script><img src="https://img.elsewhere.test/a.png"><a href="mailto:shop@src.test?subject=Order">Write to us</a>',
      ),
    );
    const page = await client.open('/inbox', { as: 'html' });
    await openRow(page, 'Your order');
    const frame = page.locator('iframe[title=Message]');
    const shown = page.frameLocator('iframe[title=Message]').getByText('Thank you');
    await shown.waitFor();
    const sandbox = (await frame.getAttribute('sandbox')) ?? '';
    assert.doesNotMatch(sandbox, /allow-(?:same-origin|top-navigation|forms|modals)/);
    await soon(async () => assert.match((await frame.getAttribute('src')) ?? '', /remote=0/));
    await page.getByRole('button', { name: 'Show remote content', exact: true }).click();
    await page
      .getByRole('button', { name: 'Show remote content', exact: true })
      .waitFor({ state: 'detached' });
    await soon(async () => assert.match((await frame.getAttribute('src')) ?? '', /remote=1/));
    // Remote images that are shown are printed as well.
    const menu = page.getByRole('button', { name: 'More actions for this message', exact: true });
    await menu.click();
    const [paper] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('menuitem', { name: 'Print', exact: true }).click(),
    ]);
    await paper.getByRole('heading', { name: 'Thank you' }).waitFor();
    assert.match(paper.url(), /\/print\?remote=1&zone=/);
    await paper.getByText(/^Mon, 3 Nov 2025 at \d\d:00 UTC/).waitFor();
    await paper.close();
    const [writing] = await Promise.all([
      page.context().waitForEvent('page'),
      page.frameLocator('iframe[title=Message]').getByRole('link', { name: 'Write to us' }).click(),
    ]);
    await writing.getByRole('button', { name: 'shop@src.test', exact: true }).waitFor();
    assert.equal(await writing.getByLabel('Subject', { exact: true }).inputValue(), 'Order');
    await writing.close();
    await menu.click();
    await page.getByRole('menuitem', { name: 'Forward as attachment', exact: true }).click();
    const forward = page.getByRole('region', { name: 'Forward', exact: true });
    await forward.getByText(/\.eml/).waitFor();
    await forward.getByRole('button', { name: 'Save and close', exact: true }).click();
    await forward.waitFor({ state: 'detached' });
    // If the service is too busy to render the message, the page around the frame has a Try again button.
    let refusals = 1;
    await page.route('**/html?*', (route) =>
      refusals-- > 0
        ? route.fulfill({ status: 503, contentType: 'text/html', body: BUSY_PAGE })
        : route.continue(),
    );
    // Attack: a link to this page must not load remote content.
    await page.reload();
    await page.getByRole('button', { name: 'Try again', exact: true }).click();
    await shown.waitFor();
    assert.equal(await page.getByRole('button', { name: 'Try again', exact: true }).count(), 0);
    await page.getByRole('button', { name: 'Show remote content', exact: true }).waitFor();
    await page.context().close();
  });

  test('hostile messages are shown, quoted and archived like other messages', async () => {
    for (const [at] of HOSTILE_MAIL.entries()) await client.append('hostile', hostileMessage(at));
    const page = await client.open('/inbox', { as: 'hostile' });
    await openRow(page, 'Hostile');
    await soon(async () => assert.equal(await messages(page).count(), HOSTILE_MAIL.length));
    await page.keyboard.press(';');
    for (const [at, [name]] of HOSTILE_MAIL.entries()) {
      const article = messages(page).nth(at);
      await article.scrollIntoViewIfNeeded();
      const shown = [article, article.frameLocator('iframe[title=Message]')];
      await soon(async () => {
        const counts = await Promise.all(shown.map((each) => each.getByText('Readable').count()));
        assert.ok(
          counts.some((count) => count > 0),
          name,
        );
      });
    }
    const composer = page.getByRole('region', { name: 'Reply', exact: true });
    for (const replied of ['markup in names', 'UTF-16 without a byte order mark', 'documents as images']) {
      const at = HOSTILE_MAIL.findIndex(([name]) => name === replied);
      await messages(page).nth(at).getByRole('button', { name: 'Reply (r)', exact: true }).click();
      await composer.getByRole('button', { name: 'Quoted original', exact: true }).click();
      await composer.getByRole('button', { name: 'Edit quote', exact: true }).click();
      await composer.getByRole('textbox', { name: 'Message', exact: true }).getByText('Readable').waitFor();
      await composer.getByRole('button', { name: 'Save and close', exact: true }).click();
      await composer.waitFor({ state: 'detached' });
    }
    await page.getByRole('button', { name: 'Archive (e)', exact: true }).click();
    await page.getByText('1 conversation archived').waitFor();
    await page.context().close();
  });

  test('only messages that scroll into view are loaded', async () => {
    const MANY = 40;
    const say = (_: unknown, n: number) =>
      raw(
        {
          From: 'Eve <eve@src.test>',
          Subject: 'Re: Many',
          'Content-Type': 'text/html',
          'Message-ID': `<${n}@many.test>`,
          References: '<0@many.test>',
        },
        `<p>Number ${n}</p>${'<p>x</p>'.repeat(40)}`,
      );
    await client.append('many', Array.from({ length: MANY }, say));
    const page = await client.open('/inbox', { as: 'many' });
    let loaded = 0;
    page.on('request', (request) => {
      if (/\/html\?/.test(request.url())) loaded++;
    });
    await openRow(page, 'Many');
    const frames = page.locator('iframe[title=Message]');
    await soon(async () => assert.equal(await frames.count(), MANY));
    await frames.first().contentFrame().getByText('Number 0').waitFor();
    assert.ok(loaded < MANY / 2, `${loaded} were loaded`);
    await frames.last().scrollIntoViewIfNeeded();
    await frames
      .last()
      .contentFrame()
      .getByText(`Number ${MANY - 1}`)
      .waitFor();
    await page.context().close();
  });

  test('the quote at the end of an HTML message is collapsed, and the message is moved to Junk and back', async () => {
    await client.append(
      'quoted',
      raw(
        { From: 'Ann <ann@dst.test>', Subject: 'Re: Boat', 'Content-Type': 'text/html' },
        '<p>It floats.</p><div class="gmail_quote"><div>On Monday, Ben wrote:</div><blockquote>Does it?</blockquote></div>',
      ),
    );
    const page = await client.open('/inbox', { as: 'quoted' });
    await openRow(page, 'Boat');
    const frame = page.frameLocator('iframe[title=Message]');
    await frame.getByText('It floats.').waitFor();
    assert.equal(await frame.getByText('Does it?').count(), 0);
    await checkAccess(page);
    await page.getByRole('button', { name: 'Quoted text', expanded: false }).click();
    await frame.getByText('Does it?').waitFor();
    await frame.getByText('It floats.').waitFor();
    await page.getByRole('button', { name: 'Report as junk (!)', exact: true }).click();
    await page.goto(page.url().replace(/\/inbox.*/, '/junk'));
    await openRow(page, 'Boat');
    await page.getByRole('button', { name: 'Not junk (!)', exact: true }).click();
    await page.goto(page.url().replace(/\/junk.*/, '/inbox'));
    await page.getByRole('link', { name: 'Boat' }).waitFor();
    await page.context().close();
  });

  test('attachments, the source and the .eml file of a message can be viewed or downloaded', async () => {
    const body = [
      '--b\r\nContent-Type: text/plain\r\n\r\nTwo files.\r\n',
      `--b\r\nContent-Type: image/png\r\nContent-Disposition: attachment; filename="dot.png"\r\nContent-Transfer-Encoding: base64\r\n\r\n${PNG}\r\n`,
      '--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename="notes.txt"\r\n\r\nAs agreed.\r\n--b--\r\n',
    ].join('');
    await client.append(
      'files',
      raw(
        {
          From: 'ann@dst.test',
          Subject: 'Files',
          'MIME-Version': '1.0',
          'Content-Type': 'multipart/mixed; boundary=b',
        },
        body,
      ),
    );
    const page = await client.open('/inbox', { as: 'files' });
    await openRow(page, 'Files');
    const files = page.getByRole('group', { name: 'Attachments', exact: true });
    await files.getByRole('button', { name: 'dot.png', exact: true }).click();
    await page
      .getByRole('dialog', { name: 'dot.png', exact: true })
      .getByRole('img', { name: 'dot.png', exact: true })
      .waitFor();
    const isDrawn = () => page.evaluate<boolean>("document.querySelector('dialog img').naturalWidth === 1");
    await soon(async () => assert.ok(await isDrawn()));
    await page.keyboard.press('Escape');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      files.getByRole('link', { name: 'Download notes.txt', exact: true }).click(),
    ]);
    assert.equal(readFileSync(await download.path(), 'utf8'), 'As agreed.');
    await checkAccess(page);
    await page.getByRole('button', { name: 'More actions for this message', exact: true }).click();
    const [eml] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Download .eml', exact: true }).click(),
    ]);
    assert.match(readFileSync(await eml.path(), 'utf8'), /^Date: Mon, 3 Nov 2025/);
    await page.getByRole('button', { name: 'More actions for this message', exact: true }).click();
    const [source] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('menuitem', { name: 'Show source', exact: true }).click(),
    ]);
    await source.getByText('filename="notes.txt"').waitFor();
    await page.context().close();
  });

  test('a PDF is drawn page by page without scripts, requests or links, and a broken PDF is reported', async () => {
    const pdf = (name: string, bytes: Buffer) =>
      `--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${bytes.toString('base64')}\r\n`;
    await client.append(
      'invoices',
      raw(
        {
          From: 'ann@dst.test',
          Subject: 'Invoice',
          'MIME-Version': '1.0',
          'Content-Type': 'multipart/mixed; boundary=b',
        },
        `${pdf('invoice.pdf', samplePdf(['Forty two', ...Array<string>(6).fill('And so on'), 'The end']))}${pdf('broken.pdf', Buffer.from('%PDF-1.7 and no more'))}--b--\r\n`,
      ),
    );
    const page = await client.open('/inbox', { as: 'invoices' });
    await openRow(page, 'Invoice');
    const files = page.getByRole('group', { name: 'Attachments', exact: true });
    await files.getByRole('button', { name: 'invoice.pdf', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'invoice.pdf', exact: true });
    await dialog.getByRole('region', { name: 'invoice.pdf, 8 pages', exact: true }).waitFor();
    await dialog.getByText('Forty two').waitFor({ state: 'attached' });
    await checkAccess(page);
    const colorBelow = () =>
      page.evaluate<number[]>(`(() => {
        const drawn = document.querySelector('dialog canvas');
        const copy = new OffscreenCanvas(drawn.width, drawn.height).getContext('2d');
        copy.drawImage(drawn, 0, 0);
        return [...copy.getImageData(drawn.width * 0.5, drawn.height * 0.9, 1, 1).data];
      })()`);
    await soon(async () => assert.deepEqual(await colorBelow(), [255, 0, 0, 255]));
    assert.equal(await dialog.getByRole('link').count(), 1);
    // Pages far from the visible area have no canvas.
    const first = dialog.getByRole('figure', { name: 'Page 1', exact: true }).locator('canvas');
    assert.equal(await first.count(), 1);
    await dialog.getByRole('figure', { name: 'Page 8', exact: true }).scrollIntoViewIfNeeded();
    await dialog.getByText('The end').waitFor({ state: 'attached' });
    await first.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await files.getByRole('button', { name: 'broken.pdf', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'This PDF could not be opened.' }).waitFor();
    await page.context().close();
  });

  test('the next conversations are prefetched, and open without waiting for a response', async () => {
    await client.append(
      'quick',
      Array.from({ length: 12 }, (_, n) =>
        raw({ From: 'ann@dst.test', Subject: `Note ${n}` }, `Text of note ${n}.`),
      ),
    );
    const page = await client.open('/inbox', { as: 'quick' });
    const fetched = new Set<string>();
    page.on('requestfinished', (request) => {
      for (const id of request.url().match(/(?:thr|msg)_\w+/g) ?? []) fetched.add(id);
    });
    const blocked: Route[] = [];
    let isBlocked = false;
    await page.route(/(?:thr|msg)_\w+/, async (route) => {
      if (isBlocked) blocked.push(route);
      else await route.continue();
    });
    const [list] = await Promise.all([
      page.waitForResponse((response) => response.url().includes('/conversations?')),
      page.reload(),
    ]);
    const rows = ((await list.json()) as { data: { id: string; message_ids: string[] }[] }).data;
    await openRow(page, 'Note 11');
    await messages(page).getByText('Text of note 11.').waitFor();
    for (let n = 10; n > 6; n--) {
      const { id, message_ids } = rows[11 - n] ?? { id: '', message_ids: [] };
      // The conversations near the open conversation are fetched while the user reads.
      await soon(async () => assert.ok([id, ...message_ids].every((each) => fetched.has(each))));
      isBlocked = true;
      await page.keyboard.press('j');
      await messages(page).getByText(`Text of note ${n}.`).waitFor();
      isBlocked = false;
      await Promise.all(blocked.splice(0).map((route) => route.continue()));
    }
    await page.context().close();
  });

  test('a sent message shows why it is still queued, until it leaves the queue', async () => {
    const { database } = client.service;
    const { mailbox, user } = await client.mailbox('waits');
    const messageId = '<waits@dst.test>';
    await client.append(
      'waits',
      raw({ From: user, To: 'b@dst.test', Subject: 'The offer', 'Message-ID': messageId }, 'It is attached.'),
      { folder: 'Sent', flags: ['\\Seen'] },
    );
    const submission = newSubmission({ ...mailbox, messageId });
    await database.transaction().execute(async (tx) => {
      await insertSubmissions(tx, [submission]);
      // The queue row must look like real mail, because the installation of this test is a sandbox.
      await sql`update queue set is_sandbox = false where email_id = ${submission.submissionId}`.execute(tx);
    });
    const page = await client.open('/sent', { as: 'waits' });
    await openRow(page, 'The offer');
    const note = page.getByRole('note').filter({
      hasText:
        /^Queued for 1 recipient\. The message was accepted for real delivery, but this server is now a sandbox\./,
    });
    await note.waitFor();
    await checkAccess(page);
    await sql`delete from queue where email_id = ${submission.submissionId}`.execute(database);
    await page.reload();
    await messages(page).getByText('It is attached.').waitFor();
    await page.waitForLoadState('networkidle');
    assert.equal(await note.count(), 0);
    await page.context().close();
  });

  test('a conversation of another mailbox is not found', async () => {
    await client.append('mine', raw({ From: 'ann@dst.test', Subject: 'Mine' }, 'Text.'));
    const mine = await client.open('/inbox', { as: 'mine' });
    await openRow(mine, 'Mine');
    await mine.waitForURL(/thr_/);
    const path = new URL(mine.url()).pathname.split('/').slice(3).join('/');
    const other = await client.open(`/${path}`, { as: 'other' });
    await other.getByRole('heading', { name: 'Conversation not found', exact: true }).waitFor();
    for (const page of [mine, other]) await page.context().close();
  });

  for (const [name, options] of [
    ['wide and dark', { colorScheme: 'dark' }],
    ['narrow and light', { viewport: NARROW }],
  ] as const) {
    test(`a conversation is accessible, ${name}`, async () => {
      await client.append(
        'axe',
        raw({ From: 'Ann <ann@dst.test>', Subject: 'Axe' }, 'Text.\r\n> Quoted.\r\n'),
      );
      const page = await client.open('/inbox', { as: 'axe', ...options });
      await page.getByRole('link', { name: 'Axe' }).first().click();
      await messages(page).getByText('Text.').waitFor();
      await checkAccess(page);
      await soon(async () =>
        assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')),
      );
      await page.context().close();
    });
  }
});
