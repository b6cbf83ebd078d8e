/** The page with the list of emails. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { encodeId, newUuid } from '../../src/model/ids.ts';
import { insertEmails } from '../../src/sending/accept/insert-emails.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { openDashboard, type OpenedDashboard } from '../support/dashboard.ts';
import { checkAccess, whereItRests } from '../support/watched-page.ts';
import { newEmail } from '../support/emails.ts';
import { eventually } from '../support/eventually.ts';
import { newProject } from '../support/projects.ts';
import { soon } from '../support/soon.ts';

const EMAILS = 900;
const PATIENCE_MS = 60_000;
const MILLION = 1_000_000;
/** Replaces responses of the service, because creating a million emails takes too long. A string because it runs in the browser. */
const ANSWER_A_MILLION = `{
  const ask = window.fetch;
  const PAGE = 10_000;
  const rowAt = (index) => ({
    id: 'em_' + String(${MILLION} - index).padStart(26, '0'),
    status: 'delivered',
    subject: 'Row ' + index,
    from: 'a@src.test',
    to: ['b@dst.test'],
    tags: [],
    created_at: '2026-01-01T00:00:00.000Z',
    scheduled_at: null,
  });
  window.fetch = async (request) => {
    const url = new URL(request.url);
    if (!/projects\\/[^/]+\\/emails$/.test(url.pathname)) return ask(request);
    const from = Number(url.searchParams.get('cursor') ?? 0);
    const length = url.searchParams.has('after') ? 0 : PAGE;
    const answer = {
      data: Array.from({ length }, (_, n) => rowAt(from + n)),
      next_cursor: length > 0 && from + PAGE < ${MILLION} ? String(from + PAGE) : null,
      unmatched: [],
      fault: null,
      is_complete: true,
    };
    return Object.assign(new Response(), { text: async () => JSON.stringify(answer) });
  };
}`;
/** The scroll position, and the rows that are completely visible. */
const SEEN = `({ scrollY, rows: [...document.querySelectorAll('[data-email-row]')]
  .filter((row) => row.getBoundingClientRect().top >= 0 && row.getBoundingClientRect().bottom <= innerHeight)
  .map((row) => ({ index: Number(row.dataset.emailRow), name: row.querySelector('a')?.textContent })) })`;
interface Seen {
  scrollY: number;
  rows: { index: number; name?: string }[];
}
const NARROW = { width: 390, height: 844 };

suite('emails page', { skip: NO_BROWSER }, () => {
  let dashboard: OpenedDashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard[Symbol.asyncDispose]());

  /** Creates a separate project, so that no test sees the emails of another test. */
  async function projectWith(
    count: number,
  ): Promise<{ path: string; send: (n: number, subject: string) => Promise<string[]> }> {
    const { database } = dashboard.service;
    const projectId = await newProject(database, newUuid(), 'paid', dashboard.organizationId);
    const send = async (sent: number, subject: string) => {
      const emails = Array.from({ length: sent }, (_, n) =>
        newEmail({
          projectId,
          emailId: newUuid(),
          subject: subject === '' ? '' : `${subject} ${n}`,
          tags: n % 2 === 0 ? ['order'] : [],
          to: [`anna${n}@dst.test`],
          recipients: [`anna${n}@dst.test`],
        }),
      );
      await insertEmails(database, emails);
      // Without queue rows no email is delivered, so the list changes only by actions of the test.
      await database.deleteFrom('queue').where('projectId', '=', projectId).execute();
      return emails.map(({ emailId }) => encodeId('em', emailId));
    };
    if (count > 0) await send(count, 'Order');
    return { path: `/emails?project=${encodeId('prj', projectId)}`, send };
  }

  const row = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
  /** Waits until scrolling has stopped, all visible rows are loaded and the condition holds. */
  async function seen(page: Page, holds: (now: Seen) => boolean): Promise<Seen> {
    let now: Seen = { scrollY: -1, rows: [] };
    const isSo = async () => {
      const { scrollY } = now;
      now = await page.evaluate<Seen>(SEEN);
      return (
        now.scrollY === scrollY &&
        now.rows.length > 10 &&
        now.rows.every(({ name }) => name !== undefined) &&
        holds(now)
      );
    };
    assert.ok(await eventually(isSo, PATIENCE_MS), JSON.stringify(now));
    return now;
  }
  const queryOf = (page: Page) => new URL(page.url()).searchParams.get('q');

  test('an email is composed and sent by keyboard, and errors are shown at their fields', async () => {
    const page = await dashboard.open('/emails');
    await page.getByRole('button', { name: 'Send email', exact: true }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Subject', { exact: true }).fill('Written here');
    await dialog.getByLabel('Text', { exact: true }).fill('Hello');
    await dialog.getByLabel('To', { exact: true }).press('Enter');
    await dialog.getByText('Enter an address such as').waitFor();
    await checkAccess(page);
    await dialog.getByLabel('To', { exact: true }).fill('"Doe, Jane" <jane@dst.test>, bo@dst.test');
    await dialog.getByText('More options').press('Enter');
    await dialog.getByLabel('Tags', { exact: true }).fill('by-hand');
    await dialog.getByLabel('Headers', { exact: true }).fill('X-Order: 4711');
    await dialog.getByLabel('Stream', { exact: true }).selectOption('Bulk');
    await dialog.getByLabel('From', { exact: true }).fill('hello@nowhere.example');
    await page.keyboard.press('Enter');
    await dialog.locator('[aria-invalid=true]').waitFor();
    await dialog.getByLabel('From', { exact: true }).fill('hello@posthorn.localhost');
    await dialog.getByLabel('Text', { exact: true }).press('Control+Enter');
    await page.getByRole('heading', { name: 'Written here', exact: true, level: 1 }).waitFor();
    await page.getByText('by-hand', { exact: true }).waitFor();
    await page.getByText('bo@dst.test').first().waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1);
    const { body } = await dashboard.service.client().get<{ stream: string }>(`/v1/emails/${id}`);
    assert.equal(body.stream, 'bulk');
    await page.context().close();
  });

  test('a project without emails explains how to send the first email', async () => {
    const { path, send } = await projectWith(0);
    const page = await dashboard.open(path);
    await page.getByRole('heading', { name: 'No emails yet', exact: true }).waitFor();
    await page.getByText('/v1/emails').waitFor();
    await checkAccess(page);
    await send(1, 'First');
    await row(page, 'First 0').waitFor();
    await page.context().close();
  });

  test('the search runs while the user types, and its text is in the URL', async () => {
    const { path } = await projectWith(EMAILS);
    const page = await dashboard.open(path);
    await row(page, `Order ${EMAILS - 1}`).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('to:anna77 tag:order', { delay: 10 });
    await row(page, 'Order 778').waitFor();
    await row(page, 'Order 777').waitFor({ state: 'detached' });
    // 77 and 770 to 779, of which half have the tag.
    await page.getByText('5 emails', { exact: true }).waitFor();
    await soon(async () => assert.equal(queryOf(page), 'to:anna77 tag:order'));
    await page.reload();
    await row(page, 'Order 770').waitFor();
    await soon(async () =>
      assert.equal(
        await page.getByLabel('Search emails', { exact: true }).inputValue(),
        'to:anna77 tag:order',
      ),
    );
    await page.keyboard.press('/');
    await page.keyboard.type('zebra');
    await page.getByRole('heading', { name: 'No results for “zebra”', exact: true }).waitFor();
    await checkAccess(page);
    await page.getByLabel('Search emails', { exact: true }).fill('stat:queued');
    await page.getByText('Did you mean status:?').waitFor();
    await page.getByRole('button', { name: 'Clear search', exact: true }).click();
    await row(page, `Order ${EMAILS - 1}`).waitFor();
    await page.getByLabel('Search emails', { exact: true }).fill('status:lost');
    await page.getByText('status:lost is not a status').waitFor();
    // The results of the previous search remain visible.
    await row(page, `Order ${EMAILS - 1}`).waitFor();
    await page.context().close();
  });

  test('choosing a filter adds it to the text of the search', async () => {
    const { path } = await projectWith(10);
    const page = await dashboard.open(path);
    await page.getByLabel('Search emails', { exact: true }).fill('subject:order');
    await page.getByRole('button', { name: 'Status', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Queued', exact: true }).click();
    await page.getByRole('button', { name: 'Time', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Last 7 days', exact: true }).click();
    await row(page, 'Order 9').waitFor();
    await soon(async () => assert.equal(queryOf(page), 'subject:order status:queued since:7d'));
    await page.getByRole('button', { name: 'Status: Queued', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Bounced', exact: true }).click();
    await page.getByRole('heading', { name: 'No matching emails', exact: true }).waitFor();
    await page.goBack();
    await row(page, 'Order 9').waitFor();
    await page.context().close();
  });

  test('scrolling to the end of the list shows all rows without a gap', async () => {
    const { path } = await projectWith(EMAILS);
    const page = await dashboard.open(path);
    await row(page, `Order ${EMAILS - 1}`).waitFor();
    for (let next = 0; next < EMAILS; ) {
      const { rows } = await seen(page, (now) => (now.rows.at(-1)?.index ?? 0) >= next);
      for (const { index, name } of rows) assert.equal(name, `Order ${EMAILS - 1 - index}`);
      assert.ok((rows[0]?.index ?? EMAILS) <= next, `${next} is followed by ${rows[0]?.index}`);
      next = (rows.at(-1)?.index ?? 0) + 1;
      await page.evaluate('scrollBy(0, 700)');
    }
    await row(page, 'Order 0').waitFor();
    await page.context().close();
  });

  test('a list of a million rows, taller than an element can be, shows all its rows', async () => {
    const { path } = await projectWith(1);
    const page = await dashboard.open('/start');
    await page.addInitScript(ANSWER_A_MILLION);
    await page.goto(`/dashboard${path}`);
    await row(page, 'Row 0').waitFor();
    const last = row(page, `Row ${MILLION - 1}`);
    // The list grows while the page loads more rows.
    while (!(await last.isVisible())) await page.keyboard.press('End');
    await soon(async () =>
      assert.equal(
        await page.evaluate('document.querySelector("main [role=rowgroup]:last-child").offsetHeight'),
        16_000_000,
      ),
    );

    await page.evaluate('scrollTo(0, 8_000_000)');
    const isAround = (middle: number) => Math.abs(middle - MILLION / 2) < 1_000;
    const middle = await seen(page, ({ rows }) => isAround(rows[0]?.index ?? 0));
    const first = middle.rows[0]?.index ?? 0;
    for (const { index, name } of middle.rows) assert.equal(name, `Row ${index}`);

    // A wheel step moves about as many rows as in a short list. In proportion to the scrollbar, the step would skip thousands of rows.
    for (let n = 0; n < 10; n++) await page.mouse.wheel(0, 440);
    const isNear = (index: number) => Math.abs(index - first - 100) < 50;
    await seen(page, ({ rows }) => isNear(rows[0]?.index ?? 0));

    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await soon(async () => {
      const focused = String(await page.evaluate('document.activeElement.textContent'));
      assert.ok(isNear(Number(/^Row (\d+)$/.exec(focused)?.[1])), focused);
    });
    await page.keyboard.press('Enter');
    await page.waitForURL(/em_/);
    await page.goBack();
    await seen(page, ({ rows }) => isNear(rows[0]?.index ?? 0));
    await page.keyboard.press('Home');
    await row(page, 'Row 0').waitFor();
    await page.context().close();
  });

  test('new emails are counted while the user reads further down, and no row moves', async () => {
    const { path, send } = await projectWith(EMAILS);
    const page = await dashboard.open(path);
    await row(page, `Order ${EMAILS - 1}`).waitFor();
    await page.evaluate('scrollTo(0, 3_000)');
    await row(page, `Order ${EMAILS - 75}`).waitFor();
    const position = () => row(page, `Order ${EMAILS - 75}`).boundingBox();
    const before = await whereItRests(position);
    await page.getByText(`${EMAILS} emails`, { exact: true }).waitFor();
    await send(3, 'Late');
    const button = page.getByRole('button', { name: '3 new emails', exact: true });
    await button.waitFor();
    assert.deepEqual(await position(), before);
    await button.click();
    await row(page, 'Late 2').waitFor();
    await page.getByText(`${EMAILS + 3} emails`, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Live', exact: true }).click();
    await soon(async () =>
      assert.equal(
        await page.getByRole('button', { name: 'Live', exact: true }).getAttribute('aria-pressed'),
        'false',
      ),
    );
    await page.context().close();
  });

  test('an email opens by keyboard, or when its id is pasted into the search', async () => {
    const { path, send } = await projectWith(5);
    const [id = ''] = await send(1, 'Pasted');
    const page = await dashboard.open(path);
    await row(page, 'Pasted 0').waitFor();
    for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key);
    await soon(async () =>
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'Order 4'),
    );
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/dashboard\/emails\/em_/);
    await page.locator('h1:focus', { hasText: 'Order 4' }).waitFor();
    await page.goBack();
    await row(page, 'Pasted 0').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.insertText(id.toLowerCase());
    await page.waitForURL((url) => url.pathname === `/dashboard/emails/${id}`);
    await page.goBack();
    await row(page, 'Pasted 0').waitFor();
    // After a dialog was open, the page's shortcuts come before the global shortcuts. The page uses k, but the global g k must still work.
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    for (const key of ['g', 'k']) await page.keyboard.press(key);
    await page.waitForURL((url) => url.pathname === '/dashboard/api-keys');
    await page.context().close();
  });

  test('each row shows the sender below the column heads, and an empty subject does not look like a subject', async () => {
    const { path, send } = await projectWith(0);
    await send(1, '');
    const page = await dashboard.open(path);
    const table = page.getByRole('table', { name: 'Emails', exact: true });
    const cells = table.getByRole('row').nth(1).getByRole('cell');
    await cells.filter({ hasText: 'hello@posthorn.localhost' }).waitFor();
    const heads = await table.getByRole('columnheader').allTextContents();
    assert.deepEqual(heads.slice(-5), ['Status', 'To', 'From', 'Subject', 'Accepted']);
    assert.equal(await table.getByRole('row').nth(1).getByRole('link').textContent(), '(no subject)');
    await page.context().close();
  });

  test('the text of a row can be selected with the mouse, and a click anywhere else on the row opens the email', async () => {
    const { path } = await projectWith(3);
    const page = await dashboard.open(path);
    await row(page, 'Order 1').waitFor();
    const drag = async (text: string) => {
      const box = await whereItRests(() => page.getByText(text, { exact: true }).boundingBox());
      const y = (box?.y ?? 0) + (box?.height ?? 0) / 2;
      await page.mouse.move((box?.x ?? 0) + 1, y);
      await page.mouse.down();
      await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) - 1, y, { steps: 5 });
      await page.mouse.up();
      return page.evaluate<string>('getSelection().toString()');
    };
    assert.match(await drag('anna1@dst.test'), /^anna1@dst\.tes/);
    // The subject is the link of the row.
    assert.match(await drag('Order 1'), /^Order/);
    assert.match(page.url(), /\/emails\?/);
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByText('anna1@dst.test', { exact: true }).click({ modifiers: ['ControlOrMeta'] }),
    ]);
    await tab.waitForURL(/\/emails\/em_/);
    await tab.close();
    await page.getByText('anna2@dst.test', { exact: true }).click();
    await page.getByRole('heading', { name: 'Order 2', exact: true, level: 1 }).waitFor();
    await page.goBack();
    // A selection in the row from before does not keep the link from opening.
    await drag('anna1@dst.test');
    await row(page, 'Order 1').click();
    await page.getByRole('heading', { name: 'Order 1', exact: true, level: 1 }).waitFor();
    await page.context().close();
  });

  test('a search is saved as a view, opened from the menu and deleted', async () => {
    const { path } = await projectWith(20);
    const page = await dashboard.open(`${path}&q=anna1`);
    await row(page, 'Order 19').waitFor();
    const views = page.getByRole('button', { name: 'Views', exact: true });
    await views.click();
    await page.getByRole('menuitem', { name: 'Save this search…', exact: true }).click();
    await checkAccess(page);
    await page.getByLabel('Name', { exact: true }).fill('The ones');
    await page.getByLabel('Show it to everyone in the project', { exact: true }).check();
    await page.keyboard.press('Enter');
    const chosen = page.getByRole('button', { name: 'View: The ones', exact: true });
    await chosen.waitFor();
    await page.getByLabel('Search emails', { exact: true }).fill('');
    await row(page, 'Order 9').waitFor();
    await views.click();
    await page.getByRole('menuitem', { name: 'The ones', exact: true }).click();
    await row(page, 'Order 9').waitFor({ state: 'detached' });
    await soon(async () => assert.equal(queryOf(page), 'anna1'));
    await chosen.click();
    await page.getByRole('menuitem', { name: 'Delete views…', exact: true }).click();
    await checkAccess(page);
    await page.getByRole('button', { name: 'Delete The ones', exact: true }).click();
    await page.getByText('There are no saved views.').waitFor();
    await page.getByRole('button', { name: 'Done', exact: true }).click();
    await views.waitFor();
    await page.context().close();
  });

  test('several emails are selected with keys or checkboxes, and copied', async () => {
    const { path } = await projectWith(6);
    const page = await dashboard.open(path, {
      context: { permissions: ['clipboard-read', 'clipboard-write'] },
    });
    await row(page, 'Order 5').waitFor();
    const bar = page.getByRole('toolbar', { name: 'Selected emails', exact: true });
    for (const key of ['j', 'x', 'j', 'j', 'X']) await page.keyboard.press(key);
    await bar.getByText('3 selected').waitFor();
    await checkAccess(page);
    await page.keyboard.press('Escape');
    await bar.waitFor({ state: 'detached' });
    await page.getByRole('checkbox', { name: 'Select Order 1', exact: true }).click();
    await page.getByRole('checkbox', { name: 'Select Order 3', exact: true }).click({ modifiers: ['Shift'] });
    await page.getByRole('checkbox', { name: 'Select Order 2', exact: true }).click();
    await bar.getByText('2 selected').waitFor();
    await bar.getByRole('button', { name: 'Copy as CSV', exact: true }).click();
    await page.getByText('Copied 2 emails as CSV.').waitFor();
    const [head, ...lines] = (await page.evaluate<string>('navigator.clipboard.readText()'))
      .trimEnd()
      .split(/\r?\n/);
    assert.equal(head, '"id","created_at","status","from","to","subject","tags"');
    assert.deepEqual(lines.map((line) => /"Order \d"/.exec(line)?.[0]).toSorted(), [
      '"Order 1"',
      '"Order 3"',
    ]);
    await bar.getByRole('button', { name: 'Copy ids', exact: true }).click();
    await page.getByText('Copied the ids of 2 emails.').waitFor();
    const ids = (await page.evaluate<string>('navigator.clipboard.readText()')).split('\n');
    assert.ok(ids.length === 2 && ids.every((id) => /^em_[0-9A-Z]{26}$/.test(id)), String(ids));
    await page.context().close();
  });

  test('selected emails that are not sent yet are cancelled', async () => {
    const api = dashboard.service.client();
    const later = { scheduled_at: new Date(Date.now() + 3_600_000).toISOString() };
    const send = (subject: string, when: object) =>
      api.post('/v1/emails', {
        from: 'hello@posthorn.localhost',
        to: ['delivered@dst.test'],
        subject,
        text: 'Hello',
        ...when,
      });
    await send('Batch now', {});
    await send('Batch later', later);
    const page = await dashboard.open('/emails?q=batch');
    await page.getByRole('row', { name: 'now Delivered' }).waitFor();
    await page.getByRole('row', { name: 'later Scheduled' }).waitFor();
    // This one is not in the pages of the list.
    await send('Batch newest', later);
    await page.getByRole('row', { name: 'newest Scheduled' }).waitFor();
    for (const name of ['Batch now', 'Batch later', 'Batch newest'])
      await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).click();
    await page.getByRole('button', { name: 'Cancel emails', exact: true }).click();
    await checkAccess(page);
    await page.getByRole('button', { name: 'Cancel 3 emails', exact: true }).click();
    await page
      .getByText(
        'Cancelled what was left of 2 emails. Nothing could be cancelled for the other 1: open it to see why.',
      )
      .waitFor();
    await page.getByRole('row', { name: 'later Failed' }).waitFor();
    await page.getByRole('row', { name: 'newest Failed' }).waitFor();
    await page.getByRole('toolbar').waitFor({ state: 'detached' });
    const isOnRow = () => page.evaluate('document.activeElement.matches("[data-email-row] a")');
    await soon(async () => assert.ok(await isOnRow()));
    assert.equal(await row(page, 'Batch newest').count(), 1);
    await page.getByText('3 emails', { exact: true }).waitFor();

    // Emails that were not cancelled stay selected.
    for (const n of [1, 2, 3]) await send(`Batch stopped ${n}`, later);
    for (const n of [1, 2, 3])
      await page.getByRole('checkbox', { name: `Select Batch stopped ${n}`, exact: true }).click();
    const held = Promise.withResolvers<void>();
    await page.route('**/cancel', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Cancel emails', exact: true }).click();
    await page.getByRole('button', { name: 'Cancel 3 emails', exact: true }).click();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    held.resolve();
    await page.getByText('Cancelled what was left of 1 email. 2 emails not tried, still selected.').waitFor();
    await page.getByRole('toolbar').getByText('2 selected').waitFor();
    await page.getByRole('button', { name: 'Clear selection', exact: true }).click();
    await soon(async () => assert.ok(await isOnRow()));
    await page.context().close();
  });

  test('the search results are exported as CSV and NDJSON', async () => {
    const { path } = await projectWith(30);
    const page = await dashboard.open(`${path}&q=anna2`);
    await row(page, 'Order 29').waitFor();
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: /^CSV/ }).click(),
    ]);
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    assert.equal(download.suggestedFilename(), 'emails.csv');
    assert.equal(lines.length, 12);
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const [records] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: /^NDJSON/ }).click(),
    ]);
    const emails = readFileSync(await records.path(), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { subject: string }).subject);
    assert.deepEqual([emails.length, emails[0]], [11, 'Order 29']);
    await page.context().close();
  });

  for (const [name, options] of [
    ['wide and light', {}],
    ['narrow and dark', { viewport: NARROW, colorScheme: 'dark' }],
  ] as const) {
    test(`the list of emails is accessible, ${name}`, async () => {
      const { path } = await projectWith(50);
      const page = await dashboard.open(path, options);
      await row(page, 'Order 49').waitFor();
      await checkAccess(page);
      await soon(async () =>
        assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')),
      );
      await page.context().close();
    });
  }
});
