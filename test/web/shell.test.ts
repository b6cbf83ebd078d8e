/** The dashboard shell, which surrounds all pages: sign-in, menu, command palette, notices and errors. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { NO_BROWSER } from '../support/browser.ts';
import { encodeId } from '../../src/model/ids.ts';
import { pauseSending, resumeSending } from '../../src/queue/pause.ts';
import { openDashboard, type OpenedDashboard, PASSWORD } from '../support/dashboard.ts';
import { measureKnownShift, measurePaint } from '../support/paint.ts';
import { checkAccess } from '../support/watched-page.ts';
import { newMailbox } from '../support/mail.ts';
import { newProject } from '../support/projects.ts';
import { soon } from '../support/soon.ts';
import { stopSending } from '../support/stop-sending.ts';

const NARROW = { width: 360, height: 740 };

suite('dashboard shell', { skip: NO_BROWSER }, () => {
  let dashboard: OpenedDashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard[Symbol.asyncDispose]());

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });

  test('a page requested without a session opens after the sign-in', async () => {
    const { email } = await dashboard.user('owner');
    const page = await dashboard.open('/emails?q=anna', { as: null });
    await page.getByLabel('Email', { exact: true }).fill(email);
    await page.getByLabel('Password', { exact: true }).fill('wrong, and long enough');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText(/password is wrong/).waitFor();
    await checkAccess(page);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await heading(page, 'Emails').waitFor();
    const { pathname, searchParams } = new URL(page.url());
    assert.deepEqual(
      [pathname, searchParams.get('q'), searchParams.get('project')],
      ['/dashboard/emails', 'anna', dashboard.project],
    );
    await page.context().close();
  });

  for (const elsewhere of ['https://evil.example/', '//evil.example/dashboard', '/\\evil.example', '/docs']) {
    test(`a sign-in does not redirect to ${elsewhere}`, async () => {
      const { email } = await dashboard.user('owner');
      const page = await dashboard.open(`/sign-in?return=${encodeURIComponent(elsewhere)}`, { as: null });
      await page.getByLabel('Email', { exact: true }).fill(email);
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await heading(page, 'Start').waitFor();
      await soon(async () => assert.equal(new URL(page.url()).pathname, '/dashboard'));
      await page.context().close();
    });
  }

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`the start page and the shortcuts dialog are accessible, ${colorScheme}`, async () => {
      const page = await dashboard.open('/', { colorScheme });
      await heading(page, 'Start').waitFor();
      await checkAccess(page);
      await page.getByRole('button', { name: /^Account of/ }).click();
      await page.getByRole('menuitem', { name: 'Keyboard shortcuts', exact: true }).click();
      await page.getByRole('dialog', { name: 'Keyboard shortcuts', exact: true }).waitFor();
      await checkAccess(page);
      await page.context().close();
    });
  }

  test('keyboard shortcuts open pages and focus their headings', async () => {
    const page = await dashboard.open('/');
    await heading(page, 'Start').waitFor();
    for (const [key, name] of [
      ['e', 'Emails'],
      ['k', 'API keys'],
      ['d', 'Domains'],
      ['w', 'Webhooks'],
      ['s', 'Start'],
    ] as const) {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await heading(page, name).waitFor();
      await page.locator('h1:focus').waitFor();
      await soon(async () => assert.match(await page.title(), new RegExp(`^${name}`)));
    }
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts', exact: true }).waitFor({ state: 'hidden' });
    await page.context().close();
  });

  test('the command palette opens pages, and emails by their id', async () => {
    const page = await dashboard.open('/');
    await heading(page, 'Start').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('webh');
    await checkAccess(page);
    await page.keyboard.press('Enter');
    await heading(page, 'Webhooks').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('em_01ARZ3NDEKTSV4RRFFQ69G5FAV');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/dashboard\/emails\/em_01ARZ3NDEKTSV4RRFFQ69G5FAV/);
    await page.context().close();
  });

  test('the command palette opens the dialogs of the actions that the role allows', async () => {
    const page = await dashboard.open('/');
    await heading(page, 'Start').waitFor();
    for (const [action, title] of [
      ['Send email', 'Send email'],
      ['Create template', 'Create template'],
      ['Add domain', 'Add domain'],
      ['Create API key', 'Create API key'],
      ['Create webhook', 'Create webhook'],
      ['Create mailbox', 'Create mailbox'],
      ['Invite', /^Invite to /],
    ] as const) {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: /IDs and actions$/ }).fill(action);
      await page.getByRole('option', { name: action, exact: true }).click();
      await page.getByRole('dialog', { name: title, exact: true }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await page.context().close();
    const viewer = await dashboard.open('/', { as: 'viewer' });
    await heading(viewer, 'Start').waitFor();
    await viewer.keyboard.press('Control+k');
    await viewer.getByRole('option', { name: /^Emails/ }).waitFor();
    await soon(async () =>
      assert.equal(await viewer.getByRole('option', { name: /^(Create|Add|Send|Invite)\b/ }).count(), 0),
    );
    await viewer.context().close();
  });

  test('content is painted before a script has loaded, and does not shift when the page appears', async () => {
    const page = await dashboard.open('/account');
    const scripts = Promise.withResolvers<void>();
    await page.context().route(/\/assets\/.*\.js$/, async (route) => {
      await scripts.promise;
      await route.continue();
    });
    const measured = measurePaint(page, '/dashboard/emails', 1);
    await page.waitForURL('**/dashboard/emails', { waitUntil: 'commit' });
    await soon(async () =>
      assert.equal(await page.evaluate(`performance.getEntriesByName('first-contentful-paint').length`), 1),
    );
    assert.equal(await page.locator('main').count(), 0);
    scripts.resolve();
    const { moved, what } = await measured;
    assert.ok(moved < 0.01, what.join('\n'));
    assert.ok((await measureKnownShift(await dashboard.browser.newPage())).moved > 0);
  });

  for (const [name, options] of [
    ['in a window 2560 pixels wide', { viewport: { width: 2560, height: 1440 } }],
    ['with reduced motion', { context: { reducedMotion: 'reduce' } }],
  ] as const)
    test(`the emails page fits the window and is accessible ${name}`, async () => {
      const page = await dashboard.open('/emails', options);
      await heading(page, 'Emails').waitFor();
      const { width } = (await page.locator('main').boundingBox()) ?? { width: 0 };
      assert.ok(width > 0 && width <= 1152, `${width}`);
      await soon(async () =>
        assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')),
      );
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts', exact: true }).waitFor();
      await checkAccess(page);
      const seconds = await page.evaluate<string>(
        `getComputedStyle(document.querySelector('dialog')).transitionDuration`,
      );
      assert.equal(seconds, name === 'with reduced motion' ? '0.001s' : '0.15s');
      await page.context().close();
    });

  test('the first Tab and Enter skip to the content', async () => {
    const page = await dashboard.open('/');
    await heading(page, 'Start').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('main:focus').waitFor();
    await page.context().close();
  });

  test('on a phone, the menu is a sheet and the page fits the window', async () => {
    const page = await dashboard.open('/', { viewport: NARROW });
    await heading(page, 'Start').waitFor();
    await page.getByRole('button', { name: 'Menu', exact: true }).click();
    const menu = page.getByRole('dialog', { name: 'Menu', exact: true });
    await menu.getByRole('link', { name: 'Domains', exact: true }).waitFor();
    await checkAccess(page);
    await menu.getByRole('link', { name: 'Domains', exact: true }).click();
    await heading(page, 'Domains').waitFor();
    await menu.waitFor({ state: 'hidden' });
    const { scrollWidth, clientWidth } = await page.evaluate<{ scrollWidth: number; clientWidth: number }>(
      '({ scrollWidth: document.documentElement.scrollWidth, clientWidth: document.documentElement.clientWidth })',
    );
    assert.ok(scrollWidth <= clientWidth, `${scrollWidth}`);
    await page.context().close();
  });

  test('another project is selected, appears in the URL, and is selected at the next visit', async () => {
    await newProject(dashboard.service.database, 'shop', 'paid', dashboard.organizationId);
    const page = await dashboard.open('/emails');
    await page.getByRole('button', { name: `Project ${dashboard.projectName}` }).click();
    await page.getByRole('menuitem', { name: 'shop', exact: true }).click();
    await page.getByRole('button', { name: 'Project shop' }).waitFor();
    await soon(async () =>
      assert.notEqual(new URL(page.url()).searchParams.get('project'), dashboard.project),
    );
    await page.goto('/dashboard/emails');
    await page.getByRole('button', { name: 'Project shop' }).waitFor();
    await page.context().close();
  });

  test('the menu shows the pages about mailboxes once the project has one', async () => {
    const { service, organizationId } = dashboard;
    const projectId = await newProject(service.database, 'sender', 'paid', organizationId);
    const page = await dashboard.open(`/?project=${encodeId('prj', projectId)}`);
    const group = page.locator('nav div', {
      has: page.getByRole('heading', { name: 'Mailboxes', exact: true }),
    });
    const pages = async () => group.getByRole('link').allTextContents();
    await soon(async () => assert.deepEqual(await pages(), ['Mailboxes']));
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await heading(page, 'Aliases').waitFor();
    await checkAccess(page);
    await newMailbox(service.database, { projectId });
    await page.reload();
    await soon(async () =>
      assert.deepEqual(await pages(), ['Mailboxes', 'Aliases', 'File links', 'Directory']),
    );
    await page.context().close();
  });

  test('the menu of projects begins a new project, for admins of the organization', async () => {
    const page = await dashboard.open('/', { as: 'admin' });
    await page.getByRole('button', { name: `Project ${dashboard.projectName}` }).click();
    await page.getByRole('menuitem', { name: 'New project', exact: true }).click();
    await page.getByRole('dialog', { name: 'Create project', exact: true }).waitFor();
    await page.context().close();
  });

  test('with more than eight projects, the switcher searches them by name, by keyboard', async () => {
    const { database } = dashboard.service;
    const made = await Promise.all(
      Array.from({ length: 9 }, (_, at) =>
        newProject(database, `store ${at + 1}`, 'paid', dashboard.organizationId),
      ),
    );
    const page = await dashboard.open('/', { as: 'viewer', colorScheme: 'dark' });
    const trigger = page.getByRole('button', { name: `Project ${dashboard.projectName}` });
    await trigger.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Projects', exact: true });
    const search = dialog.getByRole('combobox', { name: 'Search projects', exact: true });
    await search.waitFor();
    await checkAccess(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await trigger.and(page.locator(':focus')).waitFor();
    await trigger.press('Enter');
    await page.keyboard.type('STORE');
    await dialog.getByRole('option').nth(8).waitFor();
    await page.keyboard.press('ArrowDown');
    const second = dialog.getByRole('option', { selected: true });
    const name = (await second.textContent()) ?? '';
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: `Project ${name}` }).waitFor();
    await page.context().close();

    const phone = await dashboard.open('/', { as: 'admin', viewport: { width: 390, height: 844 } });
    await phone.getByRole('button', { name: 'Menu', exact: true }).click();
    await phone.getByRole('button', { name: `Project ${dashboard.projectName}` }).click();
    await phone.getByRole('combobox', { name: 'Search projects', exact: true }).fill('store 9');
    const options = phone.getByRole('option');
    await soon(async () => assert.deepEqual(await options.allTextContents(), ['store 9', 'New project']));
    await checkAccess(phone);
    await options.first().click();
    await phone.waitForURL((url) => url.searchParams.get('project') === encodeId('prj', made[8] ?? ''));
    await heading(phone, 'Start').click();
    await phone.context().close();
    for (const id of made) await database.deleteFrom('projects').where('id', '=', id).execute();
  });

  test('an unknown project is not found', async () => {
    const page = await dashboard.open('/?project=prj_01ARZ3NDEKTSV4RRFFQ69G5FAV');
    await heading(page, 'Project not found').waitFor();
    await checkAccess(page);
    await page.context().close();
  });

  test('an unknown page is not found', async () => {
    const page = await dashboard.open('/nothing');
    await heading(page, 'Page not found').waitFor();
    // The placeholder of a loading page must be hidden, because it would be under the heading.
    assert.equal(await page.getByText('Posthorn', { exact: true }).isVisible(), false);
    await checkAccess(page);
    await page.context().close();
  });

  test('after signing out, every page requires a sign-in', async () => {
    const page = await dashboard.open('/');
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await heading(page, 'Sign in').waitFor();
    await page.goto('/dashboard/emails');
    await heading(page, 'Sign in').waitFor();
    await page.context().close();
  });

  test('the path / shows the dashboard to signed-in users, and the page of the service to all other visitors', async () => {
    const page = await dashboard.open('/');
    await page.goto('/');
    await heading(page, 'Start').waitFor();
    await soon(async () => assert.equal(new URL(page.url()).pathname, '/dashboard'));
    await page.context().close();
    const stranger = await dashboard.open('/sign-in', { as: null });
    await stranger.goto('/');
    await heading(stranger, 'Posthorn').waitFor();
    await stranger.context().close();
  });

  /** Opens a page whose console may report failures, because the test causes failures. */
  async function openToFail(path: string): Promise<Page> {
    const watched = await dashboard.open(path);
    const { storageState, baseURL } = {
      storageState: await watched.context().storageState(),
      baseURL: dashboard.service.baseUrl,
    };
    await watched.context().close();
    const page = await (await dashboard.browser.newContext({ storageState, baseURL })).newPage();
    await page.goto(`/dashboard${path}`);
    return page;
  }
  const API = '**/dashboard/api/**';

  const bannerOf = (page: Page, words: string) => page.getByRole('status').filter({ hasText: words });
  const live = (page: Page) => page.getByRole('button', { name: 'Live', exact: true });
  const reconnecting = (page: Page) =>
    page.getByRole('button', { name: /^Reconnecting, last update \d\d:\d\d:\d\d$/ });
  /** "Live" is shown before the first response, and only a later fault has the time of a last update. */
  async function emailsShown(page: Page): Promise<void> {
    await live(page).waitFor();
    await page
      .getByText('No emails yet')
      .or(page.getByRole('list', { name: 'Emails' }))
      .first()
      .waitFor();
  }
  const READINESS = '**/readyz';
  const NO_DATABASE = {
    status: 503,
    contentType: 'application/problem+json',
    headers: { 'posthorn-pages': 'as before' },
    body: JSON.stringify({ type: 'unavailable', detail: 'The database cannot be reached.' }),
  };

  test('a browser without a network is reported, and the page that the user opened appears when the network is back', async () => {
    const page = await openToFail('/emails');
    await emailsShown(page);
    await page.context().setOffline(true);
    const banner = bannerOf(page, 'You are offline.');
    await banner.waitFor();
    await reconnecting(page).waitFor();
    await checkAccess(page);
    // Neither the code nor the data of this page is loaded.
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await page.waitForURL('**/dashboard/webhooks?*');
    await banner.waitFor();
    await page.context().setOffline(false);
    await heading(page, 'Webhooks').waitFor();
    await banner.waitFor({ state: 'detached' });
    await page.goBack();
    await live(page).waitFor();
    await page.context().close();
  });

  test('a page whose code cannot be loaded while the server is away appears when the server is back', async () => {
    const page = await openToFail('/');
    await heading(page, 'Start').waitFor();
    const files = '**/assets/*.js';
    const cut = [API, READINESS, files];
    for (const each of cut) await page.route(each, (route) => route.abort('connectionrefused'));
    await page.getByRole('link', { name: 'Suppressions', exact: true }).click();
    await bannerOf(page, 'The server does not respond.').waitFor();
    assert.match(page.url(), /\/dashboard\//);
    for (const each of cut) await page.unroute(each);
    await heading(page, 'Suppressions').waitFor();
    await page.context().close();
  });

  test('a server that takes long is reported, with its reason, or as not responding, and the page loads when it works', async () => {
    const page = await openToFail('/');
    // Before the page loads: it could not clear timers that began before, and calls in flight would count as slow forever.
    await page.clock.install();
    await page.reload();
    await heading(page, 'Start').waitFor();
    await page.route(API, () => undefined);
    const sent = page.waitForRequest('**/domains*');
    await page.getByRole('link', { name: 'Domains', exact: true }).click();
    await sent;
    // A computer that has slept has not waited for the server.
    await page.clock.fastForward(60_000);
    assert.equal(await bannerOf(page, 'The server').count(), 0);
    await bannerOf(page, 'The server is slow to respond. Still loading…').waitFor();
    await checkAccess(page);
    await page.route(READINESS, (route) => route.fulfill(NO_DATABASE));
    await page.clock.fastForward(3_000);
    await bannerOf(page, 'The server is not ready. The database cannot be reached.').waitFor();
    await page.route(READINESS, (route) => route.abort('timedout'));
    await page.clock.fastForward(3_000);
    await bannerOf(page, 'The server does not respond.').waitFor();
    await page.unroute(API);
    await page.unroute(READINESS);
    await page.clock.fastForward(3_000);
    await page.getByText('posthorn.localhost').first().waitFor();
    // The calls that got no response count as slow until their time limit. Unlike a jump, `runFor` does not let their timers fire late: they
    // would begin again, as after a sleep.
    await soon(async () => {
      await page.clock.runFor(3_000);
      await bannerOf(page, 'The server').waitFor({ state: 'detached', timeout: 5_000 });
    });
    await page.context().close();
  });

  test('a single call that is blocked, for example by a browser extension, does not mean that the server is away', async () => {
    const page = await openToFail('/');
    await heading(page, 'Start').waitFor();
    let calls = 0;
    await page.route('**/domains*', (route) => {
      calls++;
      return route.abort('blockedbyclient');
    });
    const checked = page.waitForResponse(READINESS);
    await page.getByRole('link', { name: 'Domains', exact: true }).click();
    await checked;
    await page.getByText('There was no response from the server.').waitFor();
    assert.deepEqual([calls, await bannerOf(page, 'The server').count()], [2, 0]);
    await page.context().close();
  });

  test('the reason of a server that is not ready is shown, and the page loads when the server is ready', async () => {
    const page = await openToFail('/emails');
    await emailsShown(page);
    await page.route(READINESS, (route) => route.fulfill(NO_DATABASE));
    await page.route(API, (route) => route.fulfill(NO_DATABASE));
    const banner = bannerOf(page, 'The server is not ready. The database cannot be reached.');
    await banner.waitFor();
    await reconnecting(page).waitFor();
    await page.getByRole('link', { name: 'Domains', exact: true }).click();
    await page.getByRole('alert').getByText('The database cannot be reached.').waitFor();
    await page.unroute(API);
    await page.unroute(READINESS);
    await page.getByText('posthorn.localhost').first().waitFor();
    await banner.waitFor({ state: 'detached' });
    await page.context().close();
  });

  test('a server that does not respond is reported, and the page loads when the server is back', async () => {
    const page = await openToFail('/emails');
    await heading(page, 'Emails').waitFor();
    const banner = bannerOf(page, 'The server does not respond.');
    // In the first case no server listens; in the second, a proxy has no server behind it.
    for (const [name, away] of [
      ['Domains', (route: Route) => route.abort('connectionrefused')],
      ['Webhooks', (route: Route) => route.fulfill({ status: 502, body: 'Bad Gateway' })],
    ] as const) {
      await page.route(API, away);
      await page.getByRole('link', { name, exact: true }).click();
      await banner.waitFor();
      await heading(page, name).waitFor();
      await checkAccess(page);
      await page.unroute(API);
      await banner.waitFor({ state: 'hidden' });
      await page.getByText(/Could not load the (domains|webhooks)/).waitFor({ state: 'hidden' });
    }
    await page.context().close();
  });

  test('every page shows a banner while sending is stopped, with a link to the checks for operators', async () => {
    await using _ = await stopSending(dashboard.service);
    const line = (page: Page) => page.getByRole('status').filter({ hasText: /^Sending stopped / });
    const member = await dashboard.open('/emails', { as: 'viewer' });
    await line(member)
      .getByText(/Emails are queued but not sent until the operators of this server/)
      .waitFor();
    await checkAccess(member);
    await member.context().close();
    const operator = await dashboard.open('/', { as: 'operator' });
    await line(operator)
      .getByText(/POSTHORN_PROVIDER/)
      .waitFor();
    await line(operator).getByRole('link', { name: 'Show checks', exact: true }).focus();
    await operator.keyboard.press('Enter');
    await heading(operator, 'System').waitFor();
    await line(operator).waitFor();
    await operator
      .getByText(/^Stopped since/)
      .first()
      .waitFor();
    // Screen readers announce it once.
    assert.equal(
      await operator
        .getByRole('status')
        .filter({ hasText: /stopped/i })
        .count(),
      1,
    );
    await operator.context().close();
    // Neither place claims what the server does not confirm.
    const failing = await openToFail('/emails');
    const words = failing.getByText(/^(Sending stopped|Stopped since)/).first();
    await words.waitFor();
    await failing.route('**/health', (route) => route.abort());
    await words.waitFor({ state: 'hidden' });
    await failing.context().close();
  });

  test('the foot of the menu and the top bar of phones say whether mail is sent', async () => {
    const { database } = dashboard.service;
    const line = (page: Page) => page.getByRole('status').filter({ hasText: /normally|since/ });
    const page = await dashboard.open('/emails', { as: 'operator' });
    await line(page).getByText('Sending normally', { exact: true }).waitFor();
    await pauseSending(database, new Date());
    try {
      await line(page)
        .getByText(/^Paused since \d\d:\d\d$/)
        .waitFor();
      await checkAccess(page);
      await page.getByRole('link', { name: 'Sending is paused.', exact: true }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('tab', { name: 'Queue', exact: true, selected: true }).waitFor();
      const phone = await dashboard.open('/emails', { as: 'viewer', viewport: NARROW });
      await line(phone)
        .getByText(/^Paused since/)
        .waitFor();
      assert.equal(await phone.getByText('Sending is paused.', { exact: true }).count(), 0);
      await checkAccess(phone);
      await phone.context().close();
    } finally {
      await resumeSending(database);
    }
    await line(page).getByText('Sending normally', { exact: true }).waitFor();
    await page.context().close();
  });

  test('after an upgrade, the dashboard reloads exactly once', async () => {
    const page = await openToFail('/');
    await heading(page, 'Start').waitFor();
    await page.route(API, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), 'posthorn-pages': 'others' } });
    });
    const [domains, webhooks] = ['Domains', 'Webhooks'].map((name) =>
      page.getByRole('link', { name, exact: true }),
    );
    const mark = () => page.evaluate('window.isOld = true');
    const isOld = () => page.evaluate<boolean>('window.isOld === true');
    await mark();
    // The page may show domains that it has fetched before, so wait for the response that announces the upgrade.
    const announced = page.waitForResponse((response) => response.headers()['posthorn-pages'] === 'others');
    await domains?.click();
    await announced;
    await page.getByText('posthorn.localhost').first().waitFor();
    assert.ok(await isOld());
    await webhooks?.click();
    await soon(async () => assert.ok(await page.evaluate('window.isOld === undefined')));
    await heading(page, 'Webhooks').waitFor();
    await mark();
    await domains?.click();
    await heading(page, 'Domains').waitFor();
    assert.ok(await isOld());
    await page.context().close();
  });

  test('a page that fails to load is reported, the menu still works, and Try again loads the page', async () => {
    const page = await openToFail('/');
    await heading(page, 'Start').waitFor();
    await page.route('**/domains*', (route) => route.fulfill({ json: {} }));
    await page.getByRole('link', { name: 'Domains', exact: true }).click();
    await heading(page, 'Something went wrong').waitFor();
    await checkAccess(page);
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await heading(page, 'Webhooks').waitFor();
    await page.getByRole('link', { name: 'Domains', exact: true }).click();
    await heading(page, 'Something went wrong').waitFor();
    await page.unroute('**/domains*');
    await page.getByRole('button', { name: 'Try again', exact: true }).click();
    await heading(page, 'Domains').waitFor();
    await page.context().close();
  });

  test('the content security policy allows only scripts and styles that are files of the service', async () => {
    const answer = await fetch(`${dashboard.service.baseUrl}/dashboard/emails`);
    const policy = answer.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'.*script-src 'self'; style-src 'self';/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    assert.doesNotMatch(await answer.text(), /<style|<script(?![^>]*\bsrc=)|\bstyle=|\bon\w+=/);
  });
});
