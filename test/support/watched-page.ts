/** Watches pages for errors and checks them with axe, for the browser tests of every application. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { soon } from './soon.ts';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
/** Chromium's message for a response with status 4xx or 503, which is not a fault of the page. */
const REFUSAL = /^Failed to load resource: the server responded with a status of (?:4\d\d|503)/;
/**
 * Chromium's message if the page or its service worker cannot reach the service. Expected only if the test disconnects the browser or kills
 * the service; otherwise the message is a fault. `SOCKET_NOT_CONNECTED` occurs when the service is killed between Chromium's choice of an
 * idle connection and its first write to it.
 */
const CUT =
  /^Failed to load resource: net::ERR_(?:INTERNET_DISCONNECTED|FAILED|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING|SOCKET_NOT_CONNECTED|CONNECTION_(?:ABORTED|CLOSED|RESET|REFUSED))$/;
/** A script that runs in the browser, as text. */
const WATCH_POLICY = `document.addEventListener('securitypolicyviolation', (event) =>
  noteViolation([event.violatedDirective, event.blockedURI, event.sourceFile, event.lineNumber].join(' ')))`;
// A script that waits until no transition runs, because colors have another contrast during a transition. Transitions of new elements
// begin with the next frame.
const SETTLE = `(async () => {
  const moving = () => document.getAnimations().filter((each) => each.playState === 'running' && each.effect.getComputedTiming().iterations !== Infinity);
  do {
    await Promise.all(moving().map((each) => each.finished.catch(() => {})));
    await new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
  } while (moving().length > 0);
})()`;
const RUN_AXE = `axe.run({ exclude: [['iframe']] }, { iframes: false })`;
/** The size of a wide window in CSS pixels. */
export const WIDE = { width: 1440, height: 900 };

/** Records faults on a page. @param isCut whether the test disconnects the browser or kills the service, so that requests may fail */
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

/** Returns a position as soon as the position no longer changes, for example at the end of scrolling. */
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

/** Throws an error for every finding of axe. Frames are excluded, because axe waits forever for frames without scripts. */
export async function checkAccess(page: Page): Promise<void> {
  await page.evaluate(SETTLE);
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResults>(RUN_AXE);
  assert.deepEqual(
    violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' | ')}`),
    [],
  );
}
