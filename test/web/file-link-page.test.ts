/** The file link page, in a real browser without scripts. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { type LinkWorld, openLinks } from '../../src/doors/http/links/links.fixture.ts';
import { NO_BROWSER, startBrowser, type TestBrowser } from '../support/browser.ts';
import { checkAccess } from '../support/watched-page.ts';

const PHONE = { width: 390, height: 844 };
const WIDE = { width: 1440, height: 900 };

describe('file link page', { skip: NO_BROWSER }, () => {
  let world: LinkWorld;
  let started: TestBrowser;
  before(async () => {
    [world, started] = await Promise.all([openLinks({ hasScanner: true }), startBrowser()]);
  });
  after(async () => {
    await started[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await started.browser.newContext({ javaScriptEnabled: false, ...options });
    const page = await context.newPage();
    await page.goto(world.baseUrl + path);
    return page;
  }

  test('with JavaScript disabled, the files and a ZIP of all files can be downloaded after the password is entered', async () => {
    const content = Buffer.from('<script>document.title = "run"</script>');
    const files = [
      { name: 'page.html', type: 'text/html', content, scan: 'clean' },
      { name: '日本 "x".txt', scan: 'clean' },
    ] as const;
    const { path } = await world.newLink({ files, password: 'open sesame' });
    const page = await open(path);
    const password = page.getByLabel('Password', { exact: true });
    await password.fill('wrong');
    await page.getByRole('button', { name: 'Show files' }).click();
    await page.getByRole('alert').waitFor();
    await password.fill('open sesame');
    await password.press('Enter');
    await page.getByRole('heading', { name: '2 files for you' }).waitFor();
    assert.equal(new URL(page.url()).pathname, path);
    for (const [link, saved] of [
      ['Download page.html', 'page.html'],
      ['Download 日本 _x_.txt', '日本 _x_.txt'],
      [/^Download all as a ZIP/, 'files.zip'],
    ] as const) {
      const downloading = page.waitForEvent('download');
      await page.getByRole('link', { name: link }).click();
      const download = await downloading;
      assert.equal(download.suggestedFilename(), saved);
      const bytes = await readFile(await download.path());
      if (saved === 'page.html') assert.deepEqual(bytes, content);
      else assert.ok(bytes.length > 100_000);
    }
    await page.context().close();
  });

  for (const [colorScheme, viewport] of [
    ['light', WIDE],
    ['dark', PHONE],
  ] as const)
    test(`the page of a file link is accessible, ${colorScheme}, ${viewport.width} pixels wide`, async () => {
      const files = [
        { name: `${'a name without a place to break '.replaceAll(' ', '_').repeat(6)}.exe`, scan: 'clean' },
        { name: 'b', isWhole: false },
        { name: 'c' },
        { name: 'd', scan: 'infected' },
        { name: 'e', scan: 'unscanned' },
      ] as const;
      const paths = [
        (await world.newLink({ files, maxDownloads: 3 })).path,
        (await world.newLink({ files: [{ scan: 'clean' }] })).path,
        (await world.newLink({ password: 'right' })).path,
        '/s/nothing',
      ];
      for (const path of paths) {
        // axe needs scripts, which the content security policy of the page forbids.
        const page = await open(path, { colorScheme, viewport, javaScriptEnabled: true, bypassCSP: true });
        await checkAccess(page);
        assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth')) <= viewport.width);
        await page.context().close();
      }
    });
});
