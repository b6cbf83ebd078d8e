/** The files of messages in the web client: thumbnails, the gallery, all files as a zip, and attached messages. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER } from '../support/browser.ts';
import { openMailClient, type OpenedMailClient } from '../support/mail-client.ts';
import { pngOf } from '../support/png.ts';
import { samplePdf } from '../support/sample-pdf.ts';
import { soon } from '../support/soon.ts';
import { checkAccess } from '../support/watched-page.ts';

const PHONE = { width: 390, height: 844 };

interface File {
  name: string;
  type: string;
  content: Buffer | string;
}

let count = 0;

function messageOf(subject: string, files: readonly File[], head: readonly string[] = []): string {
  const boundary = `b${count++}`;
  return [
    'From: Ann Lee <ann@dst.test>',
    `Subject: ${subject}`,
    'Date: Mon, 3 Nov 2025 10:00:00 +0000',
    ...head,
    'MIME-Version: 1.0',
    `Content-Type: multipart/mixed; boundary=${boundary}`,
    '',
    `--${boundary}`,
    'Content-Type: text/plain',
    '',
    'See the files.',
    ...files.flatMap(({ name, type, content }) => [
      `--${boundary}`,
      `Content-Type: ${type}`,
      `Content-Disposition: attachment; filename="${name}"`,
      ...(type === 'message/rfc822'
        ? ['', content.toString()]
        : ['Content-Transfer-Encoding: base64', '', Buffer.from(content).toString('base64')]),
    ]),
    `--${boundary}--`,
    '',
  ].join('\r\n');
}

const png = (name: string, width = 600, height = 400): File => ({
  name,
  type: 'image/png',
  content: pngOf(width, height),
});

suite('the files of messages', { skip: NO_BROWSER }, () => {
  let client: OpenedMailClient;
  before(async () => {
    client = await openMailClient();
  });
  after(() => client[Symbol.asyncDispose]());

  async function open(
    as: string,
    subject: string,
    options: Parameters<OpenedMailClient['open']>[1] = {},
  ): Promise<Page> {
    const page = await client.open('/inbox', { as, ...options });
    await page.getByRole('link', { name: subject }).first().click();
    return page;
  }

  const files = (page: Page) => page.getByRole('group', { name: 'Attachments', exact: true });
  const widthOf = (page: Page, selector: string) =>
    page.evaluate<number>(`document.querySelector(${JSON.stringify(selector)})?.naturalWidth ?? 0`);

  test('images have thumbnails, and the gallery shows all images and PDFs of the conversation', async () => {
    await client.append('gallery', [
      messageOf('Trip', [png('one.png'), png('two.png', 300, 900)], ['Message-ID: <trip@dst.test>']),
      messageOf(
        'Re: Trip',
        [
          png('three.png'),
          { name: 'plan.pdf', type: 'application/pdf', content: samplePdf(['The plan']) },
          { name: 'notes.txt', type: 'text/plain', content: 'As agreed.' },
        ],
        ['References: <trip@dst.test>'],
      ),
    ]);
    const page = await open('gallery', 'Trip');
    await files(page).getByText('3 files').waitFor();
    await soon(async () => assert.equal(await widthOf(page, 'img[src$="/thumbnail"]'), 320));
    await checkAccess(page);
    await files(page).getByRole('button', { name: 'three.png', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('3 of 4').waitFor();
    await dialog.getByRole('img', { name: 'three.png', exact: true }).waitFor();
    await checkAccess(page);
    await page.keyboard.press('ArrowRight');
    await dialog.getByText('4 of 4').waitFor();
    await dialog.getByText('The plan').waitFor({ state: 'attached' });
    await checkAccess(page);
    await page.keyboard.press('ArrowRight');
    for (const name of ['three.png', 'two.png', 'one.png']) {
      await page.keyboard.press('ArrowLeft');
      await dialog.getByRole('img', { name, exact: true }).waitFor();
    }
    await dialog.getByText('1 of 4').waitFor();
    const shownWidth = () => page.evaluate<number>('document.querySelector("dialog img").clientWidth');
    await soon(async () => assert.equal(await shownWidth(), 600));
    await page.keyboard.press('+');
    await soon(async () => assert.equal(await shownWidth(), 900));
    // The arrow keys scroll an enlarged image.
    await page.keyboard.press('ArrowRight');
    await dialog.getByText('1 of 4').waitFor();
    await page.keyboard.press('0');
    await soon(async () => assert.equal(await shownWidth(), 600));
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await soon(async () =>
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'three.png'),
    );
    await page.context().close();
  });

  test('on a phone, the gallery fits the window, and a swipe shows the next file', async () => {
    await client.append('phone', messageOf('Photos', [png('a.png', 2_000, 1_000), png('b.png')]));
    const page = await open('phone', 'Photos', {
      viewport: PHONE,
      context: { hasTouch: true, isMobile: true },
    });
    await files(page).getByRole('button', { name: 'a.png', exact: true }).click();
    const image = page.getByRole('dialog').getByRole('img', { name: 'a.png', exact: true });
    await image.waitFor();
    await soon(async () => assert.equal((await image.boundingBox())?.width, PHONE.width));
    await checkAccess(page);
    const touch = await page.context().newCDPSession(page);
    const at = (x: number) => [{ x, y: 500 }];
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(300) });
    for (const x of [250, 200, 150, 100])
      await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(x) });
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await page.getByRole('dialog').getByRole('img', { name: 'b.png', exact: true }).waitFor();
    const scrolls = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
    assert.equal(scrolls, false);
    await page.context().close();
  });

  test('all files of a message are downloaded as one zip', async () => {
    await client.append('zip', messageOf('Two', [png('a.png'), { ...png('a.png'), content: 'text' }]));
    const page = await open('zip', 'Two');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      files(page).getByRole('link', { name: 'Download all', exact: true }).click(),
    ]);
    assert.equal(download.suggestedFilename(), 'attachments.zip');
    const bytes = readFileSync(await download.path());
    assert.ok(bytes.includes(pngOf(600, 400)));
    assert.ok(bytes.includes('a (2).png'));
    await page.context().close();
  });

  const INNER = messageOf(
    'Inner subject',
    [png('inside.png'), { name: 'note.txt', type: 'text/plain', content: 'Deep.' }],
    ['To: Bob <bob@dst.test>'],
  ).replace(
    'Content-Type: text/plain\r\n\r\nSee the files.',
    'Content-Type: text/html\r\n\r\n<p>Hello <b>inside</b></p><script>document.title=1</script><img src="https://tracker.example/a.png">',
  );

  for (const viewport of [undefined, PHONE])
    test(`an attached message opens behind the same walls, ${viewport === undefined ? 'on a computer' : 'on a phone'}`, async () => {
      const as = viewport === undefined ? 'nested' : 'nested-phone';
      await client.append(
        as,
        messageOf('Outer', [
          {
            name: 'outer.eml',
            type: 'message/rfc822',
            content: messageOf('Middle', [{ name: 'inner.eml', type: 'message/rfc822', content: INNER }]),
          },
        ]),
      );
      const page = await open(as, 'Outer', viewport === undefined ? {} : { viewport });
      const requested: string[] = [];
      page.on('request', (request) => requested.push(request.url()));
      await files(page).getByRole('button', { name: 'outer.eml', exact: true }).click();
      const middle = page.getByRole('dialog', { name: 'Middle', exact: true });
      await middle.getByText('Its sender was not verified').waitFor();
      await middle.getByText('See the files.').waitFor();
      await middle.getByRole('button', { name: 'inner.eml', exact: true }).click();
      const inner = page.getByRole('dialog', { name: 'Inner subject', exact: true });
      await inner.getByText('ann@dst.test').waitFor();
      await inner.frameLocator('iframe').getByText('inside').waitFor();
      await inner.getByText('1 remote image blocked').waitFor();
      assert.equal((await inner.locator('iframe').getAttribute('sandbox')) === null, false);
      assert.ok(!requested.some((url) => url.includes('tracker') || url.includes('remote=1')));
      await checkAccess(page);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        inner.getByRole('link', { name: 'Download note.txt' }).click(),
      ]);
      assert.equal(readFileSync(await download.path(), 'utf8'), 'Deep.');
      const scrolls = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
      assert.equal(scrolls, false);
      await page.keyboard.press('Escape');
      await inner.waitFor({ state: 'detached' });
      await middle.waitFor();
      await page.context().close();
    });

  test('a message with hundreds of files shows the first ones until the user asks for all', async () => {
    await client.append(
      'many',
      messageOf(
        'Many',
        Array.from({ length: 300 }, (_, n) => ({ name: `${n}.txt`, type: 'text/plain', content: 'x' })),
      ),
    );
    const page = await open('many', 'Many');
    await soon(async () => assert.equal(await files(page).getByRole('listitem').count(), 24));
    await files(page).getByRole('button', { name: 'Show all 300 files', exact: true }).click();
    await soon(async () => assert.equal(await files(page).getByRole('listitem').count(), 300));
    await page.context().close();
  });
});
