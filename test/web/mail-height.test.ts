/** HTML messages stand in the conversation at their full height, with one scrollbar, and can be shown in dark colors. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER } from '../support/browser.ts';
import { type OpenedMailClient, openMailClient } from '../support/mail-client.ts';
import { soon } from '../support/soon.ts';
import { checkAccess } from '../support/watched-page.ts';

const NARROW = { width: 390, height: 844 };
const MAX_PX = 20_000;

suite('the height of a message', { skip: NO_BROWSER }, () => {
  let client: OpenedMailClient;
  before(async () => {
    client = await openMailClient();
  });
  after(() => client[Symbol.asyncDispose]());

  const appendTo = (localPart: string, subject: string, body: string, type = 'text/html') =>
    client.append(
      localPart,
      `From: Shop <shop@src.test>\r\nSubject: ${subject}\r\nDate: Mon, 3 Nov 2025 10:00:00 +0000\r\nMIME-Version: 1.0\r\nContent-Type: ${type}; charset=utf-8\r\n\r\n${body}`,
    );
  const openRow = (page: Page, name: string) => page.getByRole('link', { name }).click();
  const frameOf = (page: Page) => page.locator('iframe[title=Message]');
  const inFrame = (page: Page) => page.frameLocator('iframe[title=Message]');

  /** Evaluates an expression in the frame of the message. */
  const inMessage = <Value>(page: Page, expression: string): Promise<Value> | undefined =>
    page
      .frames()
      .find((each) => each.parentFrame() !== null)
      ?.evaluate<Value>(expression);

  /** The height of the frame, and how far its content extends beyond it in each direction. */
  async function measured(page: Page): Promise<{ height: number; below: number; beside: number }> {
    const box = await frameOf(page).boundingBox();
    const [below = 0, beside = 0] =
      (await inMessage<number[]>(
        page,
        '(({ scrollHeight, clientHeight, scrollWidth, clientWidth }) => [scrollHeight - clientHeight, scrollWidth - clientWidth])(document.documentElement)',
      )) ?? [];
    return { height: Math.round(box?.height ?? 0), below, beside };
  }
  const heightIs = (page: Page, height: number) =>
    soon(async () => assert.deepEqual(await measured(page), { height, below: 0, beside: 0 }));

  test('a message has exactly the height of its content, also when the content changes', async () => {
    await appendTo(
      'exact',
      'Exact',
      '<body style="line-height:20px"><p style="margin:0;height:1500px">Readable</p><details style="margin:0"><summary style="height:40px">More</summary><div style="height:700px">x</div></details><div style="height:100vh">y</div><p style="margin:0;height:21px;position:relative;top:50px">Last</p>',
    );
    const page = await client.open('/inbox', { as: 'exact' });
    await openRow(page, 'Exact');
    const before = 1500 + 40 + 20 + 21 + 50;
    await heightIs(page, before);
    await inFrame(page).getByText('More').click();
    await heightIs(page, before + 700);
    await inFrame(page).getByText('More').click();
    await heightIs(page, before);
    // The page scrolls, although the focus is in the message.
    const list = page.locator('[data-conversation]');
    await page.keyboard.press('End');
    await soon(async () => assert.ok((await list.evaluate((each) => each.scrollTop)) > 500));
    assert.equal(await page.getByRole('button', { name: 'Show full message', exact: true }).count(), 0);
    await page.context().close();
  });

  test('shortcuts work after a click into a message, and links within a message scroll the page', async () => {
    await appendTo(
      'keys',
      'Keys',
      '<a href="#b%20c">Down</a><p style="height:3000px">Readable</p><a name="b c">Here</a><p style="height:2000px">x</p>',
    );
    await appendTo('keys', 'Second', '<p>Other</p>');
    const page = await client.open('/inbox', { as: 'keys' });
    await openRow(page, 'Keys');
    await inFrame(page).getByRole('link', { name: 'Down' }).click();
    const list = page.locator('[data-conversation]');
    await soon(async () => assert.ok((await list.evaluate((each) => each.scrollTop)) > 2_500));
    await inFrame(page).getByText('Here').click();
    await page.keyboard.press('k');
    await page.locator('h1', { hasText: 'Second' }).waitFor();
    await soon(async () => assert.match(await page.title(), /^(?:\(\d\) )?Second – keys@/));
    await page.keyboard.press('u');
    await soon(async () => assert.match(await page.title(), /^(?:\(\d\) )?Inbox – keys@/));
    await page.context().close();
  });

  for (const [name, html] of [
    ['percentages of the frame', '<style>html{height:calc(100% + 9px)!important}</style><p>Readable'],
    [
      'queries for the height',
      '<style>@media(max-height:400px){p{height:600px}}@media(min-height:500px){p{height:300px}}</style><p>Readable',
    ],
    ['the aspect ratio', '<style>@media(min-aspect-ratio:1){p{height:2000px}}</style><p>Readable'],
  ] as const)
    test(`a message cannot grow without end by ${name}`, async () => {
      await appendTo(`grow-${name.split(' ').at(-1)}`, 'Grow', html);
      const page = await client.open('/inbox', { as: `grow-${name.split(' ').at(-1)}` });
      await openRow(page, 'Grow');
      await inFrame(page).getByText('Readable').waitFor();
      const heights = new Set<number>();
      for (let seen = 0; seen < 8; seen++) {
        heights.add((await measured(page)).height);
        await page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))');
      }
      assert.ok(heights.size <= 4, `${[...heights].join(', ')} px`);
      assert.ok(Math.max(...heights) < 2_500);
      await page.context().close();
    });

  test('a very tall message scrolls in its frame until all of it is requested', async () => {
    await appendTo(
      'tall',
      'Tall',
      '<p style="margin:0;height:30000px">Readable</p><p style="margin:0;height:20px;line-height:20px">End</p>',
    );
    const page = await client.open('/inbox', { as: 'tall' });
    await openRow(page, 'Tall');
    await soon(async () => {
      const { height, below } = await measured(page);
      assert.deepEqual([height, below], [MAX_PX, 30_020 - MAX_PX]);
    });
    assert.equal(await inMessage<string>(page, 'document.documentElement.style.overflowY'), 'auto');
    await page.getByRole('button', { name: 'Show full message', exact: true }).click();
    await heightIs(page, 30_020);
    await page.context().close();
  });

  test('a wide message fits the width of a phone, and can be shown at full size', async () => {
    await appendTo(
      'wide',
      'Wide',
      '<table width="820" cellpadding="0" style="border-spacing:0"><tr><td><p style="height:400px;width:820px;margin:0">Readable</p></td></tr></table>',
    );
    const page = await client.open('/inbox', { as: 'wide', viewport: NARROW });
    await openRow(page, 'Wide');
    const full = page.getByRole('button', { name: 'Show at full size', exact: true });
    await full.waitFor();
    await soon(async () => {
      const { height, below, beside } = await measured(page);
      assert.deepEqual([below, beside], [0, 0]);
      assert.ok(height > 100 && height < 200, `${height}`);
    });
    await checkAccess(page);
    await full.click();
    await soon(async () => assert.ok((await measured(page)).beside > 400));
    await page.getByRole('button', { name: 'Fit to width', exact: true }).click();
    await soon(async () => assert.equal((await measured(page)).beside, 0));
    await page.context().close();
  });

  test('a blocked image is blank space of its size', async () => {
    await appendTo(
      'blank',
      'Blank',
      '<p style="margin:0;height:20px">Readable</p><img style="display:block" width="200" height="120" alt="Ship" src="https://img.elsewhere.test/a.png"><img alt="Logo" src="https://img.elsewhere.test/b.png">',
    );
    const page = await client.open('/inbox', { as: 'blank' });
    await openRow(page, 'Blank');
    await soon(async () => {
      const box = await inFrame(page).getByAltText('Ship').boundingBox();
      assert.deepEqual([box?.width, box?.height], [200, 120]);
    });
    assert.equal(await inFrame(page).getByAltText('Logo').getAttribute('src'), null);
    await page.context().close();
  });

  test('in dark mode, a message is dark unless it has colored backgrounds, and a key shows its own colors', async () => {
    await appendTo('dark', 'Plain', '<p style="color:#333">Readable</p>');
    await appendTo(
      'dark',
      'Colored',
      '<table bgcolor="#036"><tr><td style="color:#fff">Blue</td></tr></table>',
    );
    const page = await client.open('/inbox', { as: 'dark', colorScheme: 'dark' });
    await openRow(page, 'Plain');
    const color = () => inMessage<string>(page, `getComputedStyle(document.querySelector('p')).color`);
    await soon(async () => assert.equal(await color(), 'rgb(196, 196, 196)'));
    await page.keyboard.press('D');
    await soon(async () => assert.equal(await color(), 'rgb(51, 51, 51)'));
    await page.getByRole('button', { name: 'More actions for this message', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Show in dark colors', exact: true }).click();
    await soon(async () => assert.equal(await color(), 'rgb(196, 196, 196)'));
    await checkAccess(page);
    await page.keyboard.press('u');
    await openRow(page, 'Colored');
    await inFrame(page).getByText('Blue').waitFor();
    assert.match((await frameOf(page).getAttribute('src')) ?? '', /theme=sheet/);
    await page.getByRole('button', { name: 'More actions for this message', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Print', exact: true }).waitFor();
    assert.equal(await page.getByRole('menuitem', { name: /colors/ }).count(), 0);
    await page.context().close();
  });

  test('a patch has a fixed-width font, each line has the direction of its text, and messages have headings', async () => {
    await appendTo(
      'text',
      '[PATCH 1/3] mm: fix leak',
      'שלום, עולם.\r\nHello.\r\n\r\n--- a/mm.c\r\n+++ b/mm.c\r\n@@ -1,2 +1,2 @@ int f()\r\n-old\r\n+new\r\n',
      'text/plain',
    );
    const page = await client.open('/inbox', { as: 'text' });
    await openRow(page, 'fix leak');
    await page.getByRole('heading', { level: 1, name: '[PATCH 1/3] mm: fix leak', exact: true }).waitFor();
    await page.getByRole('article').getByText('Hello.').waitFor();
    const style = (property: string) =>
      page.evaluate<string>(
        `getComputedStyle(document.querySelector('article [dir=auto]:has(> span)')).getPropertyValue('${property}')`,
      );
    assert.match(await style('font-family'), /mono/);
    assert.equal(await style('unicode-bidi'), 'plaintext');
    await page.getByRole('heading', { level: 2, name: /Shop/ }).waitFor();
    await page.getByRole('button', { name: 'More actions for this message', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Use proportional font', exact: true }).click();
    await soon(async () => assert.doesNotMatch(await style('font-family'), /mono/));
    await checkAccess(page);
    await page.context().close();
  });
});
