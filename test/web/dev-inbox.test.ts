/** The inbox of `posthorn dev`, in a real browser. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { createTransport } from 'nodemailer';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { NO_BROWSER, startBrowser, type TestBrowser } from '../support/browser.ts';
import { type DevService, startDev } from '../support/dev-service.ts';
import { checkAccess } from '../support/watched-page.ts';

const PHONE = { width: 390, height: 844 };
const WIDE = { width: 1440, height: 900 };

describe('the inbox of posthorn dev', { skip: NO_BROWSER }, () => {
  let dev: DevService;
  let started: TestBrowser;
  before(async () => {
    [dev, started] = await Promise.all([startDev(), startBrowser()]);
  });
  after(async () => {
    await started[Symbol.asyncDispose]();
    await dev[Symbol.asyncDispose]();
  });

  const send = (mail: object) =>
    createTransport({ host: 'localhost', port: dev.smtpPort }).sendMail({
      from: 'Shop <shop@acme.example>',
      to: 'Anna <anna@example.com>',
      subject: 'Your code',
      ...mail,
    });

  async function open(path = '/inbox', options: BrowserContextOptions = {}): Promise<Page> {
    const context = await started.browser.newContext({ viewport: WIDE, ...options });
    const page = await context.newPage();
    await page.goto(dev.url + path);
    return page;
  }

  test('says how to send, shows an email as soon as it arrives, and all of its parts', async () => {
    const page = await open();
    await page.getByRole('heading', { name: 'No emails yet' }).waitFor();
    await page.getByText(`localhost:${dev.smtpPort}`).waitFor();
    assert.equal(await page.getByRole('button').count(), 0);
    const html = `<h1 onclick="x">Hello</h1><script>top.document.title = 'run'</script><a href="${dev.url}/docs">Go</a>`;
    await send({ text: 'Code 314159', html, attachments: [{ filename: 'a.txt', content: 'file' }] });
    const row = page.getByRole('link', { name: /Your code/ });
    await row.click();
    const shown = page.frameLocator('iframe[title="The email"]');
    await shown.getByRole('heading', { name: 'Hello' }).waitFor();
    assert.equal(await page.title(), 'Inbox – Posthorn');
    assert.equal(await shown.locator('base').getAttribute('target'), '_blank');
    await page.getByText('anna@example.com').first().waitFor();

    await page.getByRole('tab', { name: 'HTML' }).press('ArrowRight');
    await page.getByRole('tabpanel', { name: 'Text' }).getByText('Code 314159').waitFor();
    await page.getByRole('tab', { name: 'Files (1)' }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'a.txt' }).click();
    assert.equal(await readFile(await (await downloading).path(), 'utf8'), 'file');
    await page.getByRole('tab', { name: 'Headers' }).click();
    await page.getByText('Shop <shop@acme.example>').first().waitFor();
    await page.getByRole('tab', { name: 'Source' }).click();
    await page.getByText(/^Content-Type: multipart\/mixed/m).waitFor();
    await page.context().close();
  });

  test('is used with the keyboard, searched and emptied', async () => {
    await send({ subject: 'Welcome', to: 'ben@example.com', text: 'Hi.' });
    const page = await open();
    await page.getByRole('searchbox').fill('to:ben');
    await page.getByRole('link', { name: /Welcome/ }).waitFor();
    await page.getByRole('link', { name: /Your code/ }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /Welcome/ }).press('Enter');
    const heading = page.getByRole('heading', { name: 'Welcome' });
    await heading.waitFor();
    await page.getByRole('tabpanel', { name: 'Text' }).getByText('Hi.').waitFor();
    await page.keyboard.press('Escape');
    await heading.waitFor({ state: 'hidden' });
    assert.match(await page.evaluate('document.activeElement.textContent'), /Welcome/);
    await page.getByRole('searchbox').fill('');
    await page.getByRole('button', { name: 'Delete all' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: /Welcome/ }).waitFor();
    await page.getByRole('button', { name: 'Delete all' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete all' }).click();
    await page.getByRole('heading', { name: 'No emails yet' }).waitFor();
    await page.context().close();
  });

  test('leads to the timeline in the dashboard, without sign-in', async () => {
    await send({ subject: 'Timeline', text: 'Hi.' });
    const { body } = await dev.ask('/dev/messages/wait?subject=timeline&status=delivered');
    const page = await open(`/inbox#${body.id}`);
    await page.getByRole('link', { name: 'Timeline in the dashboard' }).click();
    await page.getByRole('heading', { name: 'Timeline', exact: true }).first().waitFor();
    assert.match(page.url(), new RegExp(`/dashboard/.*${body.id}`));
    await page.context().close();
  });

  for (const [colorScheme, viewport] of [
    ['light', WIDE],
    ['dark', WIDE],
    ['light', PHONE],
    ['dark', PHONE],
  ] as const)
    test(`is accessible and fits, ${colorScheme}, ${viewport.width} pixels wide`, async () => {
      const long = 'a-subject-without-a-place-to-break-'.repeat(6);
      await send({
        subject: long,
        to: `${'long'.repeat(15)}@example.com`,
        text: 'x'.repeat(400),
        attachments: [{ filename: `${'n'.repeat(80)}.txt`, content: 'x' }],
      });
      await dev.ask(`/dev/messages/wait?to=${'long'.repeat(15)}`);
      const page = await open('/inbox', { colorScheme, viewport, bypassCSP: true });
      await page
        .getByRole('link', { name: new RegExp(long) })
        .first()
        .waitFor();
      const fits = async () =>
        assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth')) <= viewport.width);
      await checkAccess(page);
      await fits();
      await page
        .getByRole('link', { name: new RegExp(long) })
        .first()
        .click();
      for (const tab of ['Text', 'Files (1)', 'Headers', 'Source']) {
        await page.getByRole('tab', { name: tab }).click();
        await page.getByRole('tabpanel', { name: tab }).waitFor();
        await fits();
      }
      await checkAccess(page);
      const back = page.getByRole('button', { name: 'Back to the inbox' });
      assert.equal(await back.isVisible(), viewport === PHONE);
      if (viewport === PHONE) {
        await back.click();
        await page.getByRole('heading', { name: /^Inbox/ }).waitFor();
      }
      await page.context().close();
    });
});
