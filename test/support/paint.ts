/** When a page has something to read, and what of it moves while it loads, as browsers measure it. */
import type { Page } from 'playwright-core';

/** As text: it runs in the browser. */
const PAINT = `({
  firstMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1,
  moved: shifts.reduce((sum, each) => sum + each.value, 0),
  what: shifts.flatMap((each) => each.sources.map(({ node, previousRect, currentRect }) =>
    (node?.outerHTML ?? '?').slice(0, 120) + ' from ' + previousRect.y + ' to ' + currentRect.y)),
})`;
const WATCH = `globalThis.shifts = [];
  new PerformanceObserver((list) => shifts.push(...list.getEntries())).observe({ type: 'layout-shift', buffered: true })`;

/** After the text was painted, and until it was painted again. */
const PUSH = `(async () => {
  const painted = () => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
  await painted();
  document.body.style.paddingTop = '33vh';
  while (shifts.length === 0 && performance.now() < 5_000) await painted();
})()`;

interface Paint {
  firstMs: number;
  /** Cumulative layout shift: the part of the window that moved, by how far. */
  moved: number;
  /** What moved. */
  what: string[];
}

/** Of a page whose only text goes down by a third of the window, with nobody having pressed anything: a browser that says 0 of it measures nothing. */
export async function measureKnownShift(page: Page): Promise<Paint> {
  await page.addInitScript(WATCH);
  await page.goto('data:text/html,<h1>Moves</h1>');
  await page.evaluate(PUSH);
  const paint = await page.evaluate<Paint>(PAINT);
  await page.context().close();
  return paint;
}

/** A visit with an empty cache. @param slowdown how many times slower than it is the processor shall be; the page is closed */
export async function measurePaint(page: Page, path: string, slowdown: number): Promise<Paint> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.clearBrowserCache');
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await page.addInitScript(WATCH);
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.waitForLoadState('networkidle');
  const paint = await page.evaluate<Paint>(PAINT);
  await page.context().close();
  return paint;
}
