/** The metrics page: charts of the outcomes of emails, their exact numbers, and comparisons. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { NO_BROWSER } from '../support/browser.ts';
import { openDashboard, type OpenedDashboard } from '../support/dashboard.ts';
import { checkAccess } from '../support/watched-page.ts';
import { writeMetrics } from '../support/metrics.ts';
import { soon } from '../support/soon.ts';

/** Waits until a chart is drawn, not only laid out. */
async function drawn(page: Page, name: string): Promise<void> {
  await page.getByRole('slider', { name, exact: true }).locator('canvas').waitFor();
}

suite('metrics page', { skip: NO_BROWSER }, () => {
  let dashboard: OpenedDashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard[Symbol.asyncDispose]());

  test('a period without emails says so', async () => {
    const page = await dashboard.open('/metrics');
    await page.getByRole('heading', { level: 1, name: 'Metrics', exact: true }).waitFor();
    await page.getByRole('heading', { name: 'No emails in this period', exact: true }).waitFor();
    await checkAccess(page);
    await page.context().close();
  });

  test('outcomes are shown in charts that can be read by keyboard, and as exact numbers', async () => {
    await writeMetrics(dashboard.service.database, dashboard.projectUuid, { perDay: 4_800 });
    const page = await dashboard.open();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.getByRole('heading', { level: 1, name: 'Metrics', exact: true }).waitFor();
    for (const name of ['Volume', 'Bounced', 'Complained', 'Time to delivery', 'Opened'])
      await drawn(page, `${name} over time (UTC)`);
    const volume = page.getByRole('slider', { name: 'Volume over time (UTC)', exact: true });
    await volume.focus();
    const value = async () => (await volume.getAttribute('aria-valuetext')) ?? '';
    const last = await value();
    // The first key press only selects the newest column, whose value is already in `aria-valuetext`.
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await soon(async () => assert.notEqual(await value(), last));
    const announced = await value();
    assert.match(
      announced,
      /^\w+, \d+ \w+, \d\d:00 to \d\d:00: delivered [\d,]+, in transit or scheduled \d+, failed \d+, bounced \d+$/,
    );
    await checkAccess(page);
    // The table shows the numbers that were announced.
    const [time = '', delivered = ''] =
      /^(.*?): delivered ([\d,]+), in transit/.exec(announced)?.slice(1) ?? [];
    await page.getByRole('row', { name: time }).getByRole('cell', { name: delivered, exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await soon(async () => assert.equal(await volume.getAttribute('aria-valuetext'), last));
    await page.context().close();
  });

  test('the comparison and the period are in the URL, and the numbers can be copied as CSV', async () => {
    const page = await dashboard.open('/metrics?range=1y', {
      colorScheme: 'dark',
      viewport: { width: 390, height: 844 },
      context: { permissions: ['clipboard-read', 'clipboard-write'] },
    });
    await page.getByLabel('Compare', { exact: true }).selectOption('By domain');
    await page.waitForURL(/by=domain/);
    await drawn(page, 'Volume over time (UTC)');
    await page.getByRole('row', { name: /^news\.acme\.example/ }).waitFor();
    await page.getByRole('radio', { name: 'p90', exact: true }).focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForURL(/percentile=p99/);
    await page.getByText('Time until 99% of emails were delivered.').waitFor();
    await soon(async () =>
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')),
    );
    await checkAccess(page);
    await page.getByRole('button', { name: 'Copy as CSV', exact: true }).click();
    await page.getByText('Copied as CSV.').waitFor();
    const csv = await page.evaluate<string>('navigator.clipboard.readText()');
    const [head, ...lines] = csv.trim().split('\n');
    assert.match(head ?? '', /^"from","domain","emails","recipients","delivered"/);
    assert.equal(lines.length, 3 * 52);
    await page.setViewportSize({ width: 1280, height: 800 });
    await soon(async () =>
      assert.ok(
        await page.evaluate(
          `document.querySelector('[role=slider] canvas').getBoundingClientRect().width > 600`,
        ),
      ),
    );
    await page.context().close();
  });
});
