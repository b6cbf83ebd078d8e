/** Measures when a page first paints content and how much the layout shifts while it loads. */
import type { Page } from 'playwright-core';

/** A script that runs in the browser, as text. */
const PAINT = `({
  firstMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1,
  moved: shifts.reduce((sum, each) => sum + each.value, 0),
  what: shifts.flatMap((each) => each.sources.map(({ node, previousRect, currentRect }) =>
    (node?.outerHTML ?? '?').slice(0, 120) + ' from ' + previousRect.y + ' to ' + currentRect.y)),
})`;
const WATCH = `globalThis.shifts = [];
  new PerformanceObserver((list) => shifts.push(...list.getEntries())).observe({ type: 'layout-shift', buffered: true })`;

/** A script that moves the text of the page after its first paint and waits until the browser has reported the layout shift. */
const PUSH = `(async () => {
  const painted = () => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
  await painted();
  document.body.style.paddingTop = '33vh';
  while (shifts.length === 0 && performance.now() < 5_000) await painted();
})()`;

interface Paint {
  firstMs: number;
  /** Cumulative layout shift. */
  moved: number;
  /** The moved elements. */
  what: string[];
}

/** Measures a page whose text moves down by a third of the window. If the browser reports 0 for this page, its figures are useless. */
export async function measureKnownShift(page: Page): Promise<Paint> {
  await page.addInitScript(WATCH);
  await page.goto('data:text/html,<h1>Moves</h1>');
  await page.evaluate(PUSH);
  const paint = await page.evaluate<Paint>(PAINT);
  await page.context().close();
  return paint;
}

/** Measures a visit with an empty cache and closes the page. @param slowdown the factor by which the processor is slowed down */
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
