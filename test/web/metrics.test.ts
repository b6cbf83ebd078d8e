/** The metrics page: charts of the outcomes of emails, their exact numbers, and comparisons. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { decodeId, encodeId, newUuid } from '../../src/model/ids.ts';
import { insertEmails } from '../../src/sending/accept/insert-emails.ts';
import { recordEvents } from '../../src/sending/events/record-events.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { openDashboard, type OpenedDashboard } from '../support/dashboard.ts';
import { checkAccess } from '../support/watched-page.ts';
import { newEmail } from '../support/emails.ts';
import { newEvent } from '../support/events.ts';
import { newProject } from '../support/projects.ts';
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

  /** A project with emails of the last two hours, of which two recipients of one email bounced. */
  async function projectWithBounces(): Promise<string> {
    const { database } = dashboard.service;
    const projectId = await newProject(database, newUuid(), 'paid', dashboard.organizationId);
    const both = ['ann@gmail.com', 'cem@web.de'];
    const made = [
      { to: both, tags: ['welcome'], bounced: both },
      { to: ['ann@gmail.com'], tags: ['welcome', 'new'], bounced: [] },
      { to: ['dan@dst.test'], tags: ['receipt'], bounced: ['dan@dst.test'] },
    ].map(({ to, tags, bounced }) => ({
      ...newEmail({ projectId, emailId: newUuid(), to, recipients: to, tags }),
      events: to.map((address, at) =>
        newEvent(bounced.includes(address) ? 'bounced' : 'delivered', at, address),
      ),
    }));
    await insertEmails(database, made);
    await database.transaction().execute((tx) => recordEvents(tx, made));
    await database.deleteFrom('queue').where('projectId', '=', projectId).execute();
    return encodeId('prj', projectId);
  }
  const queryOf = (page: Page) => new URL(page.url()).searchParams.get('q');

  test('each number leads to the emails that it counts, and going back keeps the selection', async () => {
    const project = await projectWithBounces();
    const page = await dashboard.open(`/metrics?project=${project}&range=24h&by=tag`);
    const welcome = page.getByRole('row', { name: /^welcome/ });
    // By keyboard, from the table.
    await welcome.getByRole('link', { name: '2 (67%)', exact: true }).press('Enter');
    await page.getByText('2 recipients in 1 email', { exact: true }).waitFor();
    assert.match(queryOf(page) ?? '', /^outcome:bounced since:\S+T\d\d:00Z tag:=welcome$/);
    await page.goBack();
    await welcome.waitFor();
    assert.match(page.url(), /by=tag/);
    // From the legend of a chart.
    await drawn(page, 'Volume over time (UTC)');
    await page
      .getByRole('listitem')
      .filter({ hasText: 'receipt' })
      .getByRole('link', { name: '1', exact: true })
      .click();
    await page.getByText('1 recipient in 1 email', { exact: true }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: '4', exact: true }).first().click();
    await page.getByText('4 recipients in 3 emails', { exact: true }).waitFor();
    await page.goBack();
    // From a time step of a chart: ArrowLeft selects the newest one.
    const chart = page.getByRole('slider', { name: 'Bounced over time (UTC)', exact: true });
    await chart.focus();
    await page.keyboard.press('ArrowLeft');
    await page.getByText('Click or press Enter to see the emails').waitFor();
    await checkAccess(page);
    await page.keyboard.press('Enter');
    await page.getByText('3 recipients in 2 emails', { exact: true }).waitFor();
    assert.match(queryOf(page) ?? '', /^outcome:bounced since:\S+ until:\S+$/);
    await page.context().close();
  });

  test('the page can be limited to a tag and a provider while it compares others', async () => {
    const project = await projectWithBounces();
    const page = await dashboard.open(`/metrics?project=${project}&range=24h&by=tag`, {
      viewport: { width: 390, height: 844 },
      colorScheme: 'dark',
    });
    await page
      .getByRole('row', { name: /^welcome/ })
      .getByRole('link', { name: 'welcome', exact: true })
      .click();
    await page.waitForURL(/tag=welcome/);
    await page.getByText('emails to 3 recipients').waitFor();
    await page.getByLabel('Compare', { exact: true }).selectOption('By mailbox provider');
    const gmail = page.getByRole('row', { name: /^Gmail/ });
    await gmail.getByTitle(/each counts for the provider of its first recipient/).waitFor();
    await gmail.getByRole('link', { name: '2', exact: true }).click();
    await page.getByText('2 recipients in 2 emails', { exact: true }).waitFor();
    assert.match(queryOf(page) ?? '', /^provider:Gmail outcome:any since:\S+ tag:=welcome$/);
    await page.goBack();
    await gmail.waitFor();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Filter metrics' });
    await dialog.getByLabel('Provider', { exact: true }).selectOption('GMX and WEB.DE');
    await checkAccess(page);
    await dialog.getByRole('button', { name: 'Apply filters', exact: true }).click();
    // The email counts for the provider of its first recipient, so only recipients are shown.
    await page.getByText('1 recipient', { exact: true }).waitFor();
    await soon(async () =>
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')),
    );
    await checkAccess(page);
    await page.getByRole('button', { name: 'Remove filter Tag: welcome', exact: true }).click();
    await page.getByRole('button', { name: 'Remove filter Provider: GMX and WEB.DE', exact: true }).click();
    await page.getByText('emails to 4 recipients').waitFor();
    await page.context().close();
  });

  test('a number is no link if some of its emails are no longer stored', async () => {
    const project = await projectWithBounces();
    await dashboard.service.database
      .updateTable('projects')
      .set({ keepDays: 1 })
      .where('id', '=', decodeId('prj', project) ?? '')
      .execute();
    const page = await dashboard.open(`/metrics?project=${project}&range=30d`);
    const all = page.getByRole('row', { name: /^All / });
    await all
      .getByTitle(/^Some of these emails are no longer stored/)
      .first()
      .waitFor();
    assert.equal(await all.getByRole('link').count(), 0);
    await page.context().close();
  });
});
