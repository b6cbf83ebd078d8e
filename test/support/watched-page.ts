/** What pages of ours must never do, and what axe finds in them: for the tests of every application in a browser. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { soon } from './soon.ts';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
/** What Chromium writes when an answer is a refusal, or the service is too busy for one: that is no fault of the page. */
const REFUSAL = /^Failed to load resource: the server responded with a status of (?:4\d\d|503)/;
/** What it writes when there is no line, the service is away, or the service worker found none. Without a cut the same words tell of an answer that was withheld from the page. */
const CUT =
  /^Failed to load resource: net::ERR_(?:INTERNET_DISCONNECTED|FAILED|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING|CONNECTION_(?:RESET|REFUSED))$/;
/** As text: what runs in the browser knows nothing of this file. */
const WATCH_POLICY = `document.addEventListener('securitypolicyviolation', (event) =>
  noteViolation([event.violatedDirective, event.blockedURI, event.sourceFile, event.lineNumber].join(' ')))`;
// Colours that are on their way have other contrasts. What was just put onto the page begins to move with the next frame.
const SETTLE = `(async () => {
  const moving = () => document.getAnimations().filter((each) => each.playState === 'running' && each.effect.getComputedTiming().iterations !== Infinity);
  do {
    await Promise.all(moving().map((each) => each.finished.catch(() => {})));
    await new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
  } while (moving().length > 0);
})()`;
const RUN_AXE = `axe.run({ exclude: [['iframe']] }, { iframes: false })`;
/** Of a window, in CSS pixels. */
export const WIDE = { width: 1440, height: 900 };

/** Notes what a page must never do. @param isCut the test cuts its line: that what it asks for then does not come is no fault */
export async function watch(page: Page, host: string, faults: string[], isCut = false): Promise<void> {
  page.on('console', (message) => {
    if (message.type() === 'error' && !REFUSAL.test(message.text()) && !(isCut && CUT.test(message.text())))
      faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`error: ${error.stack ?? error.message}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (!['data:', 'blob:', 'about:'].includes(url.protocol) && url.host !== host)
      faults.push(`request to another host: ${request.url()}`);
  });
  await page.exposeFunction('noteViolation', (text: string) => faults.push(`policy: ${text}`));
  await page.addInitScript(WATCH_POLICY);
}

/** Where something is once it moves no more: as long as a window scrolls, each look finds another place. */
export async function whereItRests<Place>(place: () => Promise<Place>): Promise<Place> {
  let last = await place();
  await soon(async () => {
    const before = last;
    last = await place();
    assert.deepEqual(last, before);
  });
  return last;
}

interface AxeResults {
  violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[];
}

/** Fails on whatever axe finds. Frames are left out: it waits for an answer of those that run no scripts for ever. */
export async function checkAccess(page: Page): Promise<void> {
  await page.evaluate(SETTLE);
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResults>(RUN_AXE);
  assert.deepEqual(
    violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' | ')}`),
    [],
  );
}
