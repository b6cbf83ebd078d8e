import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import type { CreatedRoute } from '../../src/contract/routes.ts';
import { decodeId, encodeId } from '../../src/model/ids.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { type OpenedDashboard, openDashboard } from '../support/dashboard.ts';
import { insertRow } from '../support/routes.ts';
import { soon } from '../support/soon.ts';
import { checkAccess } from '../support/watched-page.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

const NARROW = { width: 390, height: 844 };
let dashboard: OpenedDashboard;

before(async () => {
  if (NO_BROWSER === false) dashboard = await openDashboard();
});
after(() => dashboard?.[Symbol.asyncDispose]());

function inBrowser(name: string, run: () => Promise<void>): void {
  void test(name, { skip: NO_BROWSER }, run);
}

const button = (area: Page | Locator, name: string) => area.getByRole('button', { name, exact: true });

/** Creates a route of an address at the hosted domain. */
async function create(localPart: string, url?: string): Promise<CreatedRoute> {
  const client = dashboard.service.client();
  const { body } = await client.get<{ data: { id: string; is_hosted: boolean }[] }>('/v1/domains');
  const { status, body: route } = await client.post<CreatedRoute>('/v1/routes', {
    domain_id: body.data.find(({ is_hosted: isHosted }) => isHosted)?.id,
    local_part: localPart,
    ...(url !== undefined && { url }),
  });
  assert.equal(status, 201);
  return route;
}

function add({ id }: CreatedRoute, fields: Parameters<typeof insertRow>[2] = {}): Promise<string> {
  const key = { projectId: dashboard.projectUuid, routeId: decodeId('rt', id) as string };
  return insertRow(dashboard.service.database, key, fields);
}

async function hasNoOverflow(page: Page): Promise<void> {
  assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false);
}

inBrowser('an empty list explains routes, and a new route shows its secret once', async () => {
  const page = await dashboard.open('/routes');
  await page.getByRole('heading', { name: 'No routes yet', exact: true }).waitFor();
  await checkAccess(page);
  await button(page, 'Create route').focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Receives', { exact: true }).selectOption({ label: 'Mail to an address' });
  await dialog.getByLabel('Address', { exact: true }).fill('tickets');
  await dialog.getByLabel('URL', { exact: true }).fill('https://user:secret-word@hooks.acme.example/in');
  await dialog.getByLabel('Format', { exact: true }).selectOption({ label: 'Rails Action Mailbox' });
  await checkAccess(page);
  await page.keyboard.press('Enter');
  const shown = page.getByLabel('Secret', { exact: true });
  await shown.waitFor();
  const secret = (await shown.textContent()) ?? '';
  assert.match(secret, /^whsec_/);
  await button(page, 'Open route').click();
  await page.getByRole('heading', { name: /^tickets@/, level: 1 }).waitFor();
  await page.getByText('Requests have the user name and the password of the URL.').waitFor();
  await soon(async () => {
    const content = await page.content();
    assert.ok(!content.includes(secret) && !content.includes('secret-word'));
  });
  await checkAccess(page);
  await page.context().close();
});

inBrowser('a mailbox without API access cannot have a route, and a wrong address is explained', async () => {
  const { user: address } = await dashboard.mailbox('private');
  const page = await dashboard.open('/routes?create=yes', { viewport: NARROW });
  const dialog = page.getByRole('dialog');
  await dialog
    .getByLabel('Receives', { exact: true })
    .selectOption({ label: 'Mail that a mailbox receives' });
  await dialog.getByLabel('Search mailboxes', { exact: true }).fill('no-such');
  await dialog.getByText('No mailboxes found.').waitFor();
  await button(dialog, 'Create').click();
  await dialog.getByText('Choose a mailbox.').waitFor();
  await dialog.getByLabel('Search mailboxes', { exact: true }).fill('private');
  await dialog.getByRole('radio', { name: address, exact: true }).focus();
  await page.keyboard.press('Space');
  await button(dialog, 'Create').click();
  await dialog.getByText('has no API access').waitFor();
  await checkAccess(page);
  await hasNoOverflow(page);
  await dialog.getByRole('link', { name: 'Open the mailbox', exact: true }).click();
  await page.getByRole('heading', { name: address, level: 1 }).waitFor();
  await page.context().close();
});

inBrowser('messages show their delivery and are sent again', async () => {
  await using receiver = await startWebhookReceiver();
  const route = await create('list', receiver.url);
  const failed = await add(route, {
    status: 'failed',
    attempts: 12,
    subject: 'Broken',
    error: 'connection refused',
  });
  await add(route, { status: 'delivered', attempts: 1, httpStatus: 200, subject: 'Fine' });
  for (const viewport of [{ width: 1440, height: 900 }, NARROW]) {
    const page = await dashboard.open(`/routes/${route.id}`, { viewport });
    const table = page.getByRole('table', { name: 'Messages', exact: true });
    await table.getByText('Broken').waitFor();
    await table.getByText('connection refused').waitFor();
    await table.getByText('Fine').waitFor();
    await checkAccess(page);
    await hasNoOverflow(page);
    await page.getByLabel('Status', { exact: true }).selectOption({ label: 'Failed' });
    await soon(async () => assert.equal(await table.getByText('Fine').count(), 0));
    await table.getByRole('link').first().focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Broken', exact: true });
    await dialog.getByText('connection refused').waitFor();
    await checkAccess(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.context().close();
  }
  const page = await dashboard.open(`/routes/${route.id}?message=${encodeId('rm', failed)}`);
  const dialog = page.getByRole('dialog');
  await button(dialog, 'Replay').click();
  await button(dialog, 'Try now').waitFor();
  await page.context().close();
});

inBrowser(
  'a route without a URL explains how to fetch messages, and a route is edited and deleted',
  async () => {
    const route = await create('edited');
    await add(route);
    const page = await dashboard.open(`/routes/${route.id}`);
    const command = page.getByLabel('Request', { exact: true });
    await soon(async () =>
      assert.match(
        (await command.textContent()) ?? '',
        new RegExp(`/v1/routes/${route.id}/messages\\?wait=30`),
      ),
    );
    await button(page, 'Edit').click();
    await page.getByRole('dialog').getByLabel('URL', { exact: true }).fill('https://hooks.acme.example/new');
    await button(page, 'Save').click();
    await page.getByText('https://hooks.acme.example/new').first().waitFor();
    await button(page, 'Replace secret').click();
    await button(page.getByRole('alertdialog'), 'Replace secret').click();
    await page.getByLabel('New secret', { exact: true }).waitFor();
    await button(page, 'Done').click();
    await button(page, 'More').click();
    await page.getByRole('menuitem', { name: 'Delete route', exact: true }).click();
    await button(page.getByRole('alertdialog'), 'Delete route').click();
    await page.getByRole('heading', { name: 'Routes', exact: true, level: 1 }).waitFor();
    await soon(async () =>
      assert.equal((await dashboard.service.client().get(`/v1/routes/${route.id}`)).status, 404),
    );
    await page.context().close();
  },
);

inBrowser('only admins see routes and allow API access', async () => {
  const mailbox = await dashboard.mailbox('shown');
  const viewer = await dashboard.open('/routes', { as: 'developer' });
  await viewer.getByText('Only admins and owners can see routes').waitFor();
  await soon(async () =>
    assert.equal(await viewer.getByRole('link', { name: 'Routes', exact: true }).count(), 0),
  );
  await viewer.context().close();
  const page = await dashboard.open(`/mailboxes/${encodeId('mbx', mailbox.mailbox.mailboxId)}`);
  await button(page, 'Allow API access').click();
  const dialog = page.getByRole('alertdialog');
  await checkAccess(page);
  await button(dialog, 'Allow access').click();
  await page.getByText('On: routes may pass mail of this mailbox to programs.').waitFor();
  await button(page, 'Turn off').click();
  await page.getByText('Off: no route passes mail of this mailbox to programs.').waitFor();
  await page.context().close();
});
