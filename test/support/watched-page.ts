/** Watches pages for errors and checks them with axe, for the browser tests of every application. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { soon } from './soon.ts';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
/** Chromium's message for an error status or an overloaded service, which is not a fault of the page. */
const REFUSAL = /^Failed to load resource: the server responded with a status of (?:4\d\d|503)/;
/**
 * Chromium's message if the network or the service is down, or if the service worker could not reach it. While the test does not disconnect the browser,
 * the same message means that the page was denied a response.
 */
const CUT =
  /^Failed to load resource: net::ERR_(?:INTERNET_DISCONNECTED|FAILED|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING|CONNECTION_(?:RESET|REFUSED))$/;
/** A script as text, because it runs in the browser. */
const WATCH_POLICY = `document.addEventListener('securitypolicyviolation', (event) =>
  noteViolation([event.violatedDirective, event.blockedURI, event.sourceFile, event.lineNumber].join(' ')))`;
// Waits until no transition runs, because colours in transition have other contrasts. Transitions of new elements begin with the next frame.
const SETTLE = `(async () => {
  const moving = () => document.getAnimations().filter((each) => each.playState === 'running' && each.effect.getComputedTiming().iterations !== Infinity);
  do {
    await Promise.all(moving().map((each) => each.finished.catch(() => {})));
    await new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
  } while (moving().length > 0);
})()`;
const RUN_AXE = `axe.run({ exclude: [['iframe']] }, { iframes: false })`;
/** Size of a window in CSS pixels. */
export const WIDE = { width: 1440, height: 900 };

/** Records faults of a page. @param isCut whether the test disconnects the browser; failed requests are then expected */
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

/** Returns a position once it no longer changes, for example while the window scrolls. */
export async function whereItRests<Position>(position: () => Promise<Position>): Promise<Position> {
  let last = await position();
  await soon(async () => {
    const before = last;
    last = await position();
    assert.deepEqual(last, before);
  });
  return last;
}

interface AxeResults {
  violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[];
}

/** Fails on every finding of axe. Frames are excluded: axe waits forever for frames without scripts. */
export async function checkAccess(page: Page): Promise<void> {
  await page.evaluate(SETTLE);
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResults>(RUN_AXE);
  assert.deepEqual(
    violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' | ')}`),
    [],
  );
}
