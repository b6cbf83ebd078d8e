/** Fast typing into the template editor on a slow machine: each key must be inserted once and in order. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { encodeId } from '../../src/model/ids.ts';
import { createTemplate } from '../../src/templates/save-template.ts';
import { type OpenedDashboard, openDashboard } from '../support/dashboard.ts';
import { NO_BROWSER } from '../support/browser.ts';

let dashboard: OpenedDashboard;
before(async () => {
  if (NO_BROWSER === false) dashboard = await openDashboard();
});
after(() => dashboard?.[Symbol.asyncDispose]());

/** Milliseconds between keystrokes. */
const DELAYS = [0, 5, 20, 60, 120];
const CPU_SLOWDOWN = 6;
/**
 * The delays in milliseconds with which React begins a render and its effects on a busy machine. An effect can lose a key that arrives
 * between the render and the effect, so each pause between keys is tested with several delays.
 */
const LATE_MS = [40, 100, 200];

/** Delays the messages with which React schedules work. A string because it runs in the browser, before React creates its channel. */
const LATE_WORK = `globalThis.lateMs = 0;
globalThis.MessageChannel = class extends MessageChannel {
  constructor() {
    super();
    const post = this.port2.postMessage.bind(this.port2);
    this.port2.postMessage = (message) => setTimeout(post, lateMs, message);
  }
}`;
/** Waits for a render, its effects, and the render caused by the effects, after which text overwritten by an effect is visible. */
const RENDERED = `(async () => {
  for (let times = 0; times < 3; times++)
    await new Promise((go) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = go;
      port2.postMessage(null);
    });
})()`;

async function openEditor(name: string): Promise<{ page: Page; id: string }> {
  const { id } = await createTemplate(dashboard.service.database, dashboard.projectUuid, {
    name,
    subject: 'Hello',
    html: '<p>Hello</p>',
    text: '',
  });
  const page = await dashboard.open(`/templates/${encodeId('tpl', id)}`);
  await page.addInitScript(LATE_WORK);
  await page.reload();
  await editor(page).waitFor();
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  return { page, id: encodeId('tpl', id) };
}

const editor = (page: Page) => page.getByRole('textbox', { name: 'HTML body', exact: true });

async function linesOf(page: Page): Promise<string[]> {
  await page.evaluate(RENDERED);
  return editor(page).locator('.cm-line').allTextContents();
}

/** Types text with Enter for each line break, on a page that renders late. @returns the lines of the editor after the last render */
async function typed(page: Page, text: string, delay: number, lateMs: number): Promise<string[]> {
  await page.evaluate(`lateMs = ${lateMs}`);
  await page.keyboard.type(text, { delay });
  return linesOf(page);
}

test('every key of fast typing is inserted and published', {
  skip: NO_BROWSER,
}, async () => {
  const { page, id } = await openEditor('typed fast');
  await editor(page).focus();
  await page.keyboard.press('ControlOrMeta+End');
  const expected = ['<p>Hello</p>'];
  for (const delay of DELAYS)
    for (const lateMs of LATE_MS) {
      expected.push(`${delay}`, 'ab');
      const lines = await typed(page, `\n${delay}\nab`, delay, lateMs);
      assert.deepEqual(lines, expected, `every ${delay} ms`);
    }
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByText('Published. New emails use this version').waitFor();
  const { body } = await dashboard.service.client().get<{ html: string }>(`/v1/templates/${id}`);
  assert.equal(body.html, expected.join('\n'));
  await page.context().close();
});

test('every key typed over a selection is inserted', { skip: NO_BROWSER }, async () => {
  const { page } = await openEditor('typed over');
  await editor(page).focus();
  for (const delay of DELAYS)
    for (const lateMs of LATE_MS) {
      await page.keyboard.press('ControlOrMeta+a');
      assert.deepEqual(await typed(page, 'abc', delay, lateMs), ['abc'], `every ${delay} ms`);
    }
  await page.context().close();
});
