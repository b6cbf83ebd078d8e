/** The documentation in a real browser: reading, searching, the keyboard, and signed-in users. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { NO_BROWSER } from '../support/browser.ts';
import { openDashboard, type OpenedDashboard } from '../support/dashboard.ts';
import { checkAccess } from '../support/watched-page.ts';
import { newDomain } from '../support/projects.ts';
import { soon } from '../support/soon.ts';

const PHONE = { width: 390, height: 844 };

describe('the documentation', { skip: NO_BROWSER }, () => {
  let dashboard: OpenedDashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard[Symbol.asyncDispose]());

  /** Opens a page without a session. */
  async function open(path: string, context: BrowserContextOptions = {}): Promise<Page> {
    const page = await dashboard.open('/sign-in', { as: null, context });
    await page.goto(path);
    return page;
  }

  for (const path of ['/', '/docs', '/docs/api/emails', '/docs/webhooks', '/docs/api', '/nothing'])
    test(`${path} is accessible in light and dark colors, on a wide screen and on a phone`, async () => {
      for (const [colorScheme, viewport] of [
        ['light', { width: 1440, height: 900 }],
        ['dark', PHONE],
      ] as const) {
        const page = await open(path, { colorScheme, viewport });
        await checkAccess(page);
        await page.context().close();
      }
    });

  test('no page of the documentation scrolls sideways on screens of 360 to 2560 pixels', async () => {
    const page = await open('/docs');
    for (const width of [360, 640, 1024, 1280, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      for (const path of ['/docs', '/docs/api/emails', '/docs/operate/metrics', '/docs/contract', '/']) {
        await page.goto(path);
        await soon(async () =>
          assert.ok(
            Number(await page.evaluate('document.documentElement.scrollWidth')) <= width,
            `${path} at ${width}`,
          ),
        );
      }
    }
    // On a page without a side column, the text must still begin directly below the heading.
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto('/docs/operate/configuration');
    const leftOf = async (selector: string) => (await page.locator(selector).first().boundingBox())?.x;
    assert.equal(await leftOf('main > .text'), await leftOf('main > h1'));
    await page.context().close();
  });

  test('the key / opens the search, arrow keys select a result, Enter opens the result, and Esc closes the search', async () => {
    const page = await open('/docs');
    await page.keyboard.press('/');
    const box = page.getByRole('combobox', { name: 'Search', exact: true });
    await box.fill('domain-not-verified');
    const found = page.getByRole('option');
    await found.first().waitFor();
    await soon(async () =>
      assert.match((await found.first().textContent()) ?? '', /^API reference › Errorsdomain-not-verified/),
    );
    await checkAccess(page);
    await page.keyboard.press('ArrowDown');
    await soon(async () => assert.equal(await found.nth(1).getAttribute('aria-selected'), 'true'));
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/errors#domain-not-verified');
    await page.keyboard.press('/');
    await box.waitFor();
    await page.keyboard.press('Escape');
    await box.waitFor({ state: 'hidden' });
    await page.context().close();
  });

  test('letters typed while the search is loading are searched for', async () => {
    const page = await open('/docs');
    const proceed = Promise.withResolvers<void>();
    await page.route('**/docs/search-dialog.js', async (route) => {
      await proceed.promise;
      await route.continue();
    });
    const requested = page.waitForRequest('**/docs/search-dialog.js');
    // The focus is on a link, so no key goes to the previous page, whose field had the focus.
    await page.getByRole('link', { name: 'Skip to the content' }).press('/');
    await requested;
    await page.keyboard.type('bounce s');
    proceed.resolve();
    const box = page.getByRole('combobox', { name: 'Search', exact: true });
    await box.waitFor();
    assert.equal(await box.inputValue(), 'bounce s');
    await page.getByRole('option').first().waitFor();
    await page.context().close();
  });

  test('the first Tab focuses the link to the content, and on a phone a button opens the menu', async () => {
    const page = await open('/docs', { viewport: PHONE });
    await page.keyboard.press('Tab');
    await soon(async () =>
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content'),
    );
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const menu = page.getByRole('navigation', { name: 'Documentation', exact: true });
    await menu.getByText('Installation', { exact: true }).click();
    await menu.getByRole('link', { name: 'Install', exact: true }).click();
    await page.waitForURL('**/docs/operate/install');
    await page.context().close();
  });

  test('a language selected with the mouse or arrow keys applies to the examples on all pages', async () => {
    const page = await open('/docs');
    await page.getByRole('tab', { name: 'TypeScript', exact: true }).click();
    await page.goto('/docs/api/webhooks');
    const [tab] = await page.getByRole('tab', { name: 'TypeScript', exact: true }).all();
    await soon(async () => assert.equal(await tab?.getAttribute('aria-selected'), 'true'));
    await soon(async () =>
      assert.ok(await page.getByText("import { Posthorn } from '@posthorn/sdk'").first().isVisible()),
    );
    await tab?.press('ArrowRight');
    await soon(async () => assert.ok(await page.getByText('import urllib.request').first().isVisible()));
    // Only the page about sending has an SMTP example. Other pages fall back to curl.
    await page.evaluate(`localStorage.setItem('posthorn-docs-language', 'smtp')`);
    await page.reload();
    await soon(async () => assert.ok(await page.getByText('curl -sS').first().isVisible()));
    await page.context().close();
  });

  test('the copy button copies exactly the code, and covers no code on a phone', async () => {
    const page = await open('/docs', { viewport: PHONE, permissions: ['clipboard-read', 'clipboard-write'] });
    const [first] = await page.getByRole('button', { name: 'Copy the code', exact: true }).all();
    await first?.click();
    await page.getByRole('button', { name: 'Copied', exact: true }).waitFor();
    const copied = String(await page.evaluate('navigator.clipboard.readText()'));
    assert.equal(copied, 'npm run -s posthorn -- key create --project default --name docs');
    const covered =
      await page.evaluate(`[...document.querySelectorAll('.code')].filter((block) => block.checkVisibility()).filter((block) => {
      const button = block.querySelector('.copy').getBoundingClientRect();
      const code = block.querySelector('pre').getBoundingClientRect();
      return code.right > button.left;
    }).length`);
    assert.equal(covered, 0);
    await page.context().close();
  });

  test('without scripts, every example is shown in every language, and the menu works', async () => {
    const page = await open('/docs', { javaScriptEnabled: false, viewport: PHONE });
    for (const words of ['curl -sS', "from '@posthorn/sdk'", 'import urllib.request'])
      await soon(async () => assert.ok(await page.getByText(words).first().isVisible(), words));
    await page.getByRole('button', { name: 'Menu', exact: true }).click();
    await soon(async () =>
      assert.ok(await page.getByRole('link', { name: 'API keys', exact: true }).last().isVisible()),
    );
    await page.context().close();
  });

  test('URLs of the former one-page reference redirect to the new pages', async () => {
    const page = await open('/docs');
    for (const [from, to] of [
      ['/docs#op-createWebhook', '/docs/api/webhooks#op-createWebhook'],
      ['/docs#errors-domain-not-verified', '/docs/errors#domain-not-verified'],
      ['/docs#schema-Webhook', '/docs/api/webhooks#schema-Webhook'],
    ] as const) {
      await page.goto('/docs/errors');
      await page.goto(from);
      await page.waitForURL(`**${to}`);
    }
    await page.context().close();
  });

  test('signed-in users see their own domain in the examples, send a test email and try a request', async () => {
    await newDomain(dashboard.service.database, dashboard.projectUuid, 'docs.example', {
      status: 'verified',
      verifiedAt: new Date(),
    });
    const page = await dashboard.open('/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.goto('/docs/api/emails');
    const { email } = await dashboard.user('owner');
    await page.getByText(`Signed in as ${email}`).waitFor();
    await soon(async () => assert.ok(await page.getByText('Acme <orders@docs.example>').first().isVisible()));
    const keys = page.getByRole('link', { name: 'Create an API key', exact: true });
    await soon(async () =>
      assert.match((await keys.getAttribute('href')) ?? '', /\/dashboard\/api-keys\?project=prj_/),
    );
    await page.getByRole('button', { name: 'Send a test email', exact: true }).click();
    await page.getByText('202. You can find it in the dashboard').waitFor();
    await page.getByRole('button', { name: 'Try it', exact: true }).first().click();
    await page.getByText('200, including fields').waitFor();
    await page.getByText('"subject": "It works"').first().waitFor();
    await checkAccess(page);
    await page.context().close();
  });

  test('a page read without a session sends no requests to the dashboard, and is the same for all readers', async () => {
    const page = await open('/docs');
    const requested: string[] = [];
    page.on('request', (request) => requested.push(new URL(request.url()).pathname));
    await page.goto('/docs/api/emails');
    await page.getByRole('tab', { name: 'Python', exact: true }).first().waitFor();
    assert.deepEqual(
      requested.filter((path) => path.startsWith('/dashboard')),
      [],
    );
    const signedIn = await dashboard.open('/');
    const [one, other] = await Promise.all(
      [page, signedIn].map(async (each) => (await each.request.get('/docs/api/emails')).text()),
    );
    assert.equal(one, other);
    await page.context().close();
    await signedIn.context().close();
  });
});
