import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import type { CreatedMailbox } from '../../src/contract/mailboxes.ts';
import { ImapWire } from '../../src/doors/imap/wire.fixture.ts';
import { verifyManually } from '../../src/domains/verify-manually.ts';
import { decodeId } from '../../src/model/ids.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { type OpenedDashboard, openDashboard } from '../support/dashboard.ts';
import { checkAccess } from '../support/watched-page.ts';
import { soon } from '../support/soon.ts';

/** Makes the service record sign-ins after 200 ms. */
const OFTEN = { timings: 'src/mailboxes/sign-in', values: { registerMs: 200 } } as const;

let dashboard: OpenedDashboard;
let domainId: string;
/** The id of desk.example, whose mail this installation receives. Forwarding is allowed to its mailboxes, even without verification. */
let deskId: string;

before(async () => {
  if (NO_BROWSER !== false) return;
  dashboard = await openDashboard({ env: { POSTHORN_PUBLIC_PORTS: 'standard' }, patches: [OFTEN] });
  [domainId, deskId] = [await addDomain('shop.example'), await addDomain('desk.example')];
  await verifyManually(dashboard.service.database, dashboard.projectUuid, 'desk.example');
});

async function addDomain(domain: string): Promise<string> {
  const { body } = await dashboard.service.client().post<{ id: string }>('/v1/domains', { domain });
  return body.id;
}

after(() => dashboard?.[Symbol.asyncDispose]());

function inBrowser(name: string, run: () => Promise<void>): void {
  void test(name, { skip: NO_BROWSER }, run);
}

const button = (area: Page | Locator, name: string) => area.getByRole('button', { name, exact: true });

async function create(local_part: string, fields: object = {}): Promise<CreatedMailbox> {
  const { body } = await dashboard.service
    .client()
    .post<CreatedMailbox>('/v1/mailboxes', { domain_id: domainId, local_part, ...fields });
  return body;
}

/** @returns the connection, and the response to LOGIN */
async function signIn(user: string, password: string): Promise<{ wire: ImapWire; answer: string }> {
  const wire = await ImapWire.connect({ host: '127.0.0.1', port: dashboard.service.imapPort });
  await wire.next();
  return { wire, answer: (await wire.command(`a LOGIN ${user} "${password}"`)).at(-1) ?? '' };
}

inBrowser('an empty list explains mailboxes, and a new mailbox shows its password once', async () => {
  const page = await dashboard.open('/mailboxes');
  await page.getByRole('heading', { name: 'Mailboxes', exact: true, level: 1 }).waitFor();
  await page.getByRole('heading', { name: 'No mailboxes yet', exact: true }).waitFor();
  await checkAccess(page);
  await button(page, 'Create mailbox').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Address', { exact: true }).fill('a b');
  await button(dialog, 'Create').click();
  await dialog.locator('[aria-invalid=true]').waitFor();
  await checkAccess(page);
  // The field accepts the whole address instead of its local part.
  await dialog.getByLabel('Address', { exact: true }).fill('support@shop.example');
  await dialog.getByLabel('Name', { exact: true }).fill('Acme support');
  await page.keyboard.press('Enter');
  const password = (await dialog.getByLabel('Password', { exact: true }).textContent()) ?? '';
  await checkAccess(page);
  await button(dialog, 'Open mailbox').click();
  await page.getByRole('heading', { name: 'support@shop.example', exact: true, level: 1 }).waitFor();
  await soon(async () => assert.ok(!(await page.content()).includes(password)));
  const { wire, answer } = await signIn('support@shop.example', password);
  wire[Symbol.dispose]();
  assert.match(answer, /^a OK/);
  await page.context().close();
});

inBrowser('a shared mailbox is created without a password, and gets members', async () => {
  const ann = await create('member');
  const page = await dashboard.open('/mailboxes');
  await button(page, 'Create mailbox').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Address', { exact: true }).fill('desk@shop.example');
  await dialog.getByLabel('Shared mailbox', { exact: true }).check();
  await checkAccess(page);
  await button(dialog, 'Create').click();
  await page.getByRole('heading', { name: 'desk@shop.example', exact: true, level: 1 }).waitFor();
  await page.getByRole('tab', { name: 'Members', exact: true }).click();
  await button(page, 'Add member').click();
  await dialog.getByLabel('Member', { exact: true }).fill(ann.address);
  await button(dialog, 'Add').click();
  await page.getByRole('list', { name: 'Members', exact: true }).getByText(ann.address).waitFor();
  await checkAccess(page);
  await page.context().close();
});

inBrowser('the list is searched by keyboard, and the query is in the URL', async () => {
  const anna = await create('anna', { display_name: 'Anna Bell' });
  await create('ben');
  const page = await dashboard.open('/mailboxes');
  const table = page.getByRole('table', { name: 'Mailboxes', exact: true });
  await table.getByRole('link', { name: 'ben@shop.example', exact: true }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('bell');
  await table.getByRole('link', { name: 'ben@shop.example', exact: true }).waitFor({ state: 'detached' });
  await page.waitForURL('**q=bell*');
  await checkAccess(page);
  // The command palette opens the mailbox whose id is typed.
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill(anna.id);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'anna@shop.example', exact: true, level: 1 }).waitFor();
  await page.goBack();
  await table.getByRole('link', { name: 'anna@shop.example', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'anna@shop.example', exact: true, level: 1 }).waitFor();
  await page.context().close();
});

inBrowser('settings of a mailbox are saved, and an error is shown at its field', async () => {
  const mailbox = await create('settings');
  const page = await dashboard.open(`/mailboxes/${mailbox.id}`);
  await page.getByLabel('Reply-To', { exact: true }).fill('nobody');
  await page.getByLabel('Daily send limit', { exact: true }).fill('50');
  await page.getByLabel('Spam level', { exact: true }).selectOption('high');
  await page.getByLabel('Save a copy in Sent', { exact: true }).check();
  await button(page, 'Save').click();
  await page.locator('[aria-invalid=true]').waitFor();
  await checkAccess(page);
  await page.getByLabel('Reply-To', { exact: true }).fill('desk@shop.example');
  await page.getByLabel('Reply-To', { exact: true }).press('Enter');
  await page.getByText('Settings saved').waitFor();
  await page.getByText('0 of 50 recipients in the last 24 hours', { exact: true }).waitFor();
  await page.reload();
  await soon(async () =>
    assert.equal(await page.getByLabel('Reply-To', { exact: true }).inputValue(), 'desk@shop.example'),
  );
  await soon(async () =>
    assert.equal(await page.getByLabel('Daily send limit', { exact: true }).inputValue(), '50'),
  );
  await soon(async () =>
    assert.equal(await page.getByLabel('Spam level', { exact: true }).inputValue(), 'high'),
  );
  await soon(async () =>
    assert.ok(await page.getByLabel('Save a copy in Sent', { exact: true }).isChecked()),
  );
  await page.context().close();
});

inBrowser(
  'an app password opens the mailbox, its session is listed, and all sessions can be ended',
  async () => {
    const mailbox = await create('phone');
    const page = await dashboard.open(`/mailboxes/${mailbox.id}?tab=access`);
    await button(page, 'Create app password').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Phone of Ann');
    await dialog.getByLabel('Name', { exact: true }).press('Enter');
    const password = (await dialog.getByLabel('App password', { exact: true }).textContent()) ?? '';
    await checkAccess(page);
    await button(dialog, 'Done').click();
    const { wire, answer } = await signIn(mailbox.address, password);
    using _open = wire;
    assert.match(answer, /^a OK/);
    await page
      .getByRole('list', { name: 'Sessions', exact: true })
      .getByText('App password Phone of Ann')
      .waitFor();
    await page.getByRole('list', { name: 'Last sign-ins', exact: true }).getByText('127.0.0.1').waitFor();
    await checkAccess(page);
    await button(page, 'End all sessions').click();
    await button(page.getByRole('alertdialog'), 'End all sessions').click();
    assert.match((await wire.next()) ?? '', /^\* BYE/);
    await page.getByText('No open sessions.').waitFor();
    await button(page, 'Revoke Phone of Ann').click();
    await button(page.getByRole('alertdialog'), 'Revoke').click();
    await page.getByText('No app passwords yet.').waitFor();
    await page.context().close();
  },
);

inBrowser('a new password ends open sessions, and opens the mailbox', async () => {
  const mailbox = await create('another', { password: 'the password before' });
  const page = await dashboard.open(`/mailboxes/${mailbox.id}`);
  const { wire } = await signIn(mailbox.address, 'the password before');
  using _open = wire;
  await button(page, 'Set password').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Choose one', { exact: true }).check();
  await dialog.getByLabel('New password', { exact: true }).fill('short');
  await button(dialog, 'Set password').click();
  await dialog.locator('[aria-invalid=true]').waitFor();
  await dialog.getByLabel('New password', { exact: true }).fill('quite another password');
  await button(dialog, 'Set password').click();
  assert.match((await wire.next()) ?? '', /^\* BYE/);
  const again = await signIn(mailbox.address, 'quite another password');
  again.wire[Symbol.dispose]();
  assert.match(again.answer, /^a OK/);
  await page.context().close();
});

inBrowser('a mailbox that is locked for sending says why, and can be unlocked', async () => {
  const mailbox = await create('locked');
  const { database } = dashboard.service;
  await database
    .insertInto('sendingLocks')
    .values({
      projectId: dashboard.projectUuid,
      mailboxId: decodeId('mbx', mailbox.id) as string,
      lockedAt: new Date(),
      reason: 'refused',
      countsFrom: new Date(),
    })
    .execute();
  const page = await dashboard.open(`/mailboxes/${mailbox.id}`);
  await page.getByText('other servers rejected most of its mail').waitFor();
  await checkAccess(page);
  await button(page, 'Unlock').click();
  await page.getByText('Mailbox unlocked').waitFor();
  await page.getByText('other servers rejected most of its mail').waitFor({ state: 'detached' });
  await page.context().close();
});

inBrowser(
  'a rule is built from fields, listed in the syntax of the command line, moved, turned off, and removed',
  async () => {
    const [mailbox, other] = [await create('rules'), await create('target', { domain_id: deskId })];
    const page = await dashboard.open(`/mailboxes/${mailbox.id}?tab=rules`);
    const dialog = page.getByRole('dialog');
    const rules = page.getByRole('list', { name: 'Rules', exact: true });
    await button(page, 'Add rule').click();
    await dialog.getByLabel('Name', { exact: true }).fill('Invoices');
    await dialog.getByLabel('Condition 1: value', { exact: true }).fill('@shop.example');
    await button(dialog, 'Add condition').click();
    await dialog.getByLabel('Condition 2: field', { exact: true }).selectOption('Size');
    await dialog.getByLabel('Condition 2: value', { exact: true }).fill('5M');
    await dialog.getByLabel('Any matches', { exact: true }).check();
    await button(dialog, 'Add').click();
    // The form reports an error because the folder field is empty.
    await dialog.getByRole('alert').waitFor();
    await checkAccess(page);
    await dialog.getByLabel('Action 1: folder', { exact: true }).fill('Invoices');
    await button(dialog, 'Add').click();
    await rules.getByText('If from contains @shop.example or size over 5 MB: file Invoices').waitFor();
    await button(page, 'Add rule').click();
    await dialog.getByLabel('Name', { exact: true }).fill('Copies');
    await dialog.getByLabel('Condition 1: field', { exact: true }).selectOption('Subject');
    await dialog.getByLabel('Condition 1: comparison', { exact: true }).selectOption('does not contain');
    await dialog.getByLabel('Condition 1: value', { exact: true }).fill('secret');
    await dialog.getByLabel('Action 1', { exact: true }).selectOption('Forward to');
    await dialog.getByLabel('Action 1: address', { exact: true }).fill(other.address);
    await dialog.getByLabel('Position', { exact: true }).selectOption('First');
    await button(dialog, 'Add').click();
    await rules.getByText(`If not subject contains secret: forward ${other.address}`).waitFor();
    const names = () => rules.getByRole('listitem').allTextContents();
    assert.ok((await names())[0]?.includes('Copies'));
    await button(page, 'More about Copies').press('ArrowDown');
    await page.getByRole('menuitem', { name: 'Move down', exact: true }).press('Enter');
    await rules.getByRole('listitem').first().getByText('Invoices', { exact: true }).waitFor();
    await button(page, 'More about Invoices').click();
    await page.getByRole('menuitem', { name: 'Turn off', exact: true }).click();
    await rules.getByText('Off', { exact: true }).waitFor();
    await checkAccess(page);
    await button(page, 'More about Invoices').click();
    await page.getByRole('menuitem', { name: 'Remove', exact: true }).click();
    await button(page.getByRole('alertdialog'), 'Remove').click();
    await rules.getByText('Invoices', { exact: true }).waitFor({ state: 'detached' });
    await page.context().close();
  },
);

inBrowser(
  'forwarding, vacation and blocked senders are turned on and off, and developers can only read these settings',
  async () => {
    const [mailbox, other] = [await create('away'), await create('office', { domain_id: deskId })];
    const page = await dashboard.open(`/mailboxes/${mailbox.id}?tab=rules`);
    const card = (name: string) => page.getByRole('region', { name, exact: true });
    await card('Forwarding').getByLabel('Forward to', { exact: true }).fill('anna@elsewhere.example');
    await button(card('Forwarding'), 'Turn on').click();
    await card('Forwarding').getByText('is not verified').waitFor();
    await card('Forwarding').getByLabel('Forward to', { exact: true }).fill(other.address);
    await card('Forwarding').getByLabel('Keep a copy here', { exact: true }).uncheck();
    await button(card('Forwarding'), 'Turn on').click();
    await card('Forwarding').getByText('On', { exact: true }).waitFor();
    await card('Vacation').getByLabel('Message', { exact: true }).fill('I will be back on Monday.');
    await card('Vacation').getByLabel('First day', { exact: true }).fill('2040-12-20');
    await card('Vacation').getByLabel('Last day', { exact: true }).fill('2041-01-03');
    await checkAccess(page);
    await button(card('Vacation'), 'Turn on').click();
    await card('Vacation').getByText('Scheduled', { exact: true }).waitFor();
    await page.getByLabel('Sender', { exact: true }).fill('Spam.example');
    await page.getByLabel('Sender', { exact: true }).press('Enter');
    await page
      .getByRole('list', { name: 'Blocked senders', exact: true })
      .getByText('spam.example')
      .waitFor();
    await checkAccess(page);
    await button(page, 'Unblock spam.example').click();
    await page.getByText('No blocked senders').waitFor();
    const reader = await dashboard.open(`/mailboxes/${mailbox.id}?tab=rules`, { as: 'developer' });
    const read = (name: string) => reader.getByRole('region', { name, exact: true });
    await read('Vacation').getByText('2040-12-20 to 2041-01-03').waitFor();
    await read('Forwarding').getByText('no copy stays here').waitFor();
    assert.equal(await reader.locator('main').getByRole('textbox').count(), 0);
    await checkAccess(reader);
    await reader.context().close();
    await button(card('Vacation'), 'Turn off').click();
    await card('Vacation').getByText('Off', { exact: true }).waitFor();
    await button(card('Forwarding'), 'Turn off').click();
    await button(page.getByRole('alertdialog'), 'Turn off').click();
    await card('Forwarding').getByText('Off', { exact: true }).waitFor();
    await page.context().close();
  },
);

inBrowser('the Mail apps tab shows the user name, the server and the ports', async () => {
  const mailbox = await create('apps');
  const page = await dashboard.open(`/mailboxes/${mailbox.id}`, { as: 'viewer' });
  await page.getByRole('tab', { name: 'Mail apps', exact: true }).click();
  const row = page.getByRole('table', { name: 'Ports', exact: true }).getByRole('row', { name: /IMAP/ });
  await row.getByText('993').waitFor();
  await page.getByText('apps@shop.example', { exact: true }).last().waitFor();
  await checkAccess(page);
  // A viewer sees the settings, but neither access nor rules.
  await soon(async () =>
    assert.deepEqual(await page.getByRole('tab').allTextContents(), ['Settings', 'Members', 'Mail apps']),
  );
  await page.getByRole('tab', { name: 'Settings', exact: true }).click();
  await soon(async () => assert.ok(await page.getByLabel('Reply-To', { exact: true }).isDisabled()));
  await page.context().close();
});

inBrowser('the Mail apps tab says what is missing without a certificate or a fixed port', async () => {
  const mailbox = await create('plain');
  const page = await dashboard.open('/mailboxes');
  let services = [{ protocol: 'imap', security: 'none', port: 2143 }];
  await page.route(`**/mailboxes/${mailbox.id}`, async (route) => {
    if (route.request().resourceType() === 'document') return route.continue();
    const response = await route.fetch();
    const json = (await response.json()) as object;
    await route.fulfill({ response, json: { ...json, mail_access: { hostname: 'localhost', services } } });
  });
  await page.goto(`/dashboard/mailboxes/${mailbox.id}`);
  await page.getByRole('tab', { name: 'Mail apps', exact: true }).click();
  await page.getByRole('heading', { name: 'Only on the server itself', exact: true }).waitFor();
  await page.getByText('localhost', { exact: true }).waitFor();
  await checkAccess(page);
  services = [];
  await page.reload();
  await page.getByRole('tab', { name: 'Mail apps', exact: true }).click();
  await page.getByText(/set POSTHORN_IMAP_PORT/).waitFor();
  await page.context().close();
});

inBrowser('a warning lists the lost data before a mailbox is deleted', async () => {
  const mailbox = await create('gone');
  await dashboard.service
    .client()
    .post('/v1/aliases', { domain_id: domainId, local_part: 'gone-too', mailbox_ids: [mailbox.id] });
  const page = await dashboard.open(`/mailboxes/${mailbox.id}`);
  await button(page, 'Delete').click();
  const dialog = page.getByRole('alertdialog', { name: `Delete ${mailbox.address}?`, exact: true });
  await dialog.getByText('It has no messages.').waitFor();
  await dialog.getByText('1 alias that delivers only to this mailbox is deleted, too.').waitFor();
  await checkAccess(page);
  await button(dialog, 'Delete').click();
  await page.waitForURL('**/dashboard/mailboxes*');
  await page.goto(`/dashboard/mailboxes/${mailbox.id}`);
  await page.getByRole('heading', { name: 'Mailbox not found', exact: true }).waitFor();
  await page.context().close();
});

inBrowser('an alias is created by keyboard, changed, and deleted', async () => {
  const [ann, bea] = [await create('ann'), await create('bea')];
  const page = await dashboard.open('/aliases');
  await page.getByRole('heading', { name: 'Aliases', exact: true, level: 1 }).waitFor();
  await button(page, 'Create alias').first().press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Address', { exact: true }).fill('team');
  await dialog.getByLabel('Search mailboxes', { exact: true }).fill('ann@');
  await dialog.getByLabel(ann.address, { exact: true }).press('Space');
  await checkAccess(page);
  await button(dialog, 'Create').press('Enter');
  const row = page.getByRole('row', { name: /team@shop\.example/ });
  await row.getByRole('link', { name: ann.address }).waitFor();
  await checkAccess(page);
  await button(row, 'More about team@shop.example').click();
  await page.getByRole('menuitem', { name: 'Change mailboxes', exact: true }).click();
  await dialog.getByLabel('Search mailboxes', { exact: true }).fill('bea');
  // Use the keyboard, because the list moves under the pointer when the results arrive.
  await dialog.getByLabel(bea.address, { exact: true }).press('Space');
  await dialog.getByLabel(ann.address, { exact: true }).press('Space');
  await button(dialog, 'Save').click();
  await row.getByRole('link', { name: bea.address }).waitFor();
  await row.getByRole('link', { name: ann.address }).waitFor({ state: 'detached' });
  await button(row, 'More about team@shop.example').click();
  await page.getByRole('menuitem', { name: 'Delete', exact: true }).click();
  await button(page.getByRole('alertdialog'), 'Delete').click();
  await row.waitFor({ state: 'detached' });
  await page.context().close();
});
