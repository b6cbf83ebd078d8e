/** Fast typing into the editor of templates on a slow machine: each keystroke arrives, once and in order. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { encodeId } from '../../src/model/ids.ts';
import { createTemplate } from '../../src/templates/save-template.ts';
import { type OpenedDashboard, openDashboard } from '../support/dashboard.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { soon } from '../support/soon.ts';

let dashboard: OpenedDashboard;
before(async () => {
  if (NO_BROWSER === false) dashboard = await openDashboard();
});
after(() => dashboard?.[Symbol.asyncDispose]());

/** Between two keys, in milliseconds. */
const DELAYS = [0, 5, 20, 60, 120];
const SLOWER = 6;

async function openEditor(name: string): Promise<{ page: Page; id: string }> {
  const { id } = await createTemplate(dashboard.service.database, dashboard.projectUuid, {
    ...{ name, subject: 'Hello', html: '<p>Hello</p>', text: '' },
  });
  const page = await dashboard.open(`/templates/${encodeId('tpl', id)}`);
  await editor(page).waitFor();
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  return { page, id: encodeId('tpl', id) };
}

const editor = (page: Page) => page.getByRole('textbox', { name: 'HTML body', exact: true });
const linesOf = (page: Page) => editor(page).locator('.cm-line').allTextContents();

test('keys that follow each other fast are all in the text, and are saved', {
  skip: NO_BROWSER,
}, async () => {
  const { page, id } = await openEditor('typed fast');
  await editor(page).focus();
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.press('Enter');
  let expected = '';
  for (const delay of DELAYS) {
    const text = `after ${delay} ms `;
    await page.keyboard.type(text, { delay });
    expected += text;
    await soon(async () => assert.deepEqual(await linesOf(page), ['<p>Hello</p>', expected]));
  }
  await page.keyboard.press('ControlOrMeta+s');
  await page.getByText('Saved: emails are sent by it').waitFor();
  const { body } = await dashboard.service.client().get<{ html: string }>(`/v1/templates/${id}`);
  assert.equal(body.html, `<p>Hello</p>\n${expected}`);
  await page.context().close();
});

test('typing over a selection keeps every key', { skip: NO_BROWSER }, async () => {
  const { page } = await openEditor('typed over');
  await editor(page).focus();
  for (const delay of DELAYS)
    for (const text of ['ab', 'cde']) {
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type(text, { delay });
      await soon(async () => assert.deepEqual(await linesOf(page), [text], `${delay} ms`));
    }
  await page.context().close();
});
