/** Alerts in Settings: an alert is added, tested, changed and removed; operators have alerts for the installation. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { NO_BROWSER } from '../support/browser.ts';
import { openDashboard, type OpenedDashboard } from '../support/dashboard.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { checkAccess } from '../support/watched-page.ts';

const PHONE = { width: 390, height: 844 };

describe('alerts', { skip: NO_BROWSER }, () => {
  let dashboard: OpenedDashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard[Symbol.asyncDispose]());

  async function open(options = {}) {
    const page = await dashboard.open('/settings?tab=alerts', options);
    const alerts = page.getByRole('region', { name: 'Alerts for this project', exact: true });
    await alerts.getByRole('button', { name: 'Add alert' }).waitFor();
    return { page, alerts };
  }

  test('a signed alert is added with quiet hours, tested, paused and removed', async () => {
    await using receiver = await startWebhookReceiver();
    const { page, alerts } = await open();
    await checkAccess(page);
    await alerts.getByRole('button', { name: 'Add alert' }).click();
    const form = page.getByRole('dialog', { name: 'Add alert' });
    await form.getByLabel('Send to').selectOption('webhook');
    await form.getByLabel('URL').fill('https://ann:secret@hooks.example/');
    await form.getByRole('radio', { name: 'Only these' }).check();
    await form.getByRole('button', { name: 'Add', exact: true }).click();
    await form.getByText('Select at least one problem.').waitFor();
    await form.getByRole('checkbox', { name: 'No emails are sent' }).check();
    await form.getByRole('checkbox', { name: 'Quiet hours' }).check();
    await form.getByLabel('From').fill('23:00');
    await form.getByLabel('Time zone').selectOption('Europe/Berlin');
    await form.getByRole('button', { name: 'Add', exact: true }).click();
    await form.getByText('must not contain a user name or a password').waitFor();
    await checkAccess(page);
    await form.getByLabel('URL').fill(receiver.url);
    await form.getByRole('button', { name: 'Add', exact: true }).click();
    const added = page.getByRole('dialog', { name: 'Alert added' });
    await added.getByText(/^whsec_/).waitFor();
    await checkAccess(page);
    await added.getByRole('button', { name: 'Done' }).click();
    const item = alerts.getByRole('listitem');
    await item.getByText(/No emails are sent · Quiet from 23:00 until 07:00 \(Europe\/Berlin\)/).waitFor();
    await item.getByRole('button', { name: /^Send test to / }).click();
    await page.getByText('Test delivered').waitFor();
    assert.equal(JSON.parse(receiver.received[0]?.body ?? '').type, 'alert.test');
    await item.getByRole('button', { name: /^More about / }).click();
    await page.getByRole('menuitem', { name: 'Pause' }).click();
    await item.getByText('Paused', { exact: true }).waitFor();
    await item.getByRole('button', { name: /^More about / }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit alert' });
    await edit.getByRole('radio', { name: 'All problems' }).check();
    await edit.getByRole('button', { name: 'Save' }).click();
    await item.getByText(/^All problems · Quiet/).waitFor();
    await item.getByRole('button', { name: /^More about / }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await item.waitFor({ state: 'detached' });
  });

  test('a viewer adds an alert with the keyboard on a phone, and sees why a test failed', async () => {
    await using receiver = await startWebhookReceiver({ answer: { status: 410 } });
    const { page, alerts } = await open({ as: 'viewer', viewport: PHONE });
    await alerts.getByRole('button', { name: 'Add alert' }).press('Enter');
    const form = page.getByRole('dialog', { name: 'Add alert' });
    await form.getByLabel('Send to').selectOption('slack');
    await form.getByLabel('URL').fill(receiver.url);
    await page.keyboard.press('Enter');
    await form.waitFor({ state: 'detached' });
    await alerts.getByRole('button', { name: /^Send test to Slack/ }).press('Enter');
    await page.getByText('Test not delivered: the response had the status 410').waitFor();
    await checkAccess(page);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), PHONE.width);
    assert.equal(await page.getByRole('region', { name: 'Alerts for the installation' }).count(), 0);
  });

  test('a viewer gets alerts and the weekly digest by email with the keyboard on a phone', async () => {
    const { page, alerts } = await open({ as: 'viewer', viewport: PHONE });
    await alerts.getByRole('button', { name: 'Add alert' }).press('Enter');
    const form = page.getByRole('dialog', { name: 'Add alert' });
    await form.getByText(/^Your own address, .+@.+\.$/).waitFor();
    assert.equal(await form.getByLabel('URL').count(), 0);
    await form.getByRole('checkbox', { name: 'Weekly digest' }).press('Space');
    await form.getByLabel('Time zone').selectOption('Asia/Tokyo');
    await form.getByText('on Mondays at 08:00 (Asia/Tokyo)').waitFor();
    await checkAccess(page);
    await form.getByRole('button', { name: 'Add', exact: true }).press('Enter');
    await form.waitFor({ state: 'detached' });
    const item = alerts.getByRole('listitem').filter({ hasText: 'Email' });
    await item.getByText(/^All problems · Weekly digest · Last sent never/).waitFor();
    await item.getByRole('button', { name: 'Send test to Email' }).press('Enter');
    await page.getByText('Test delivered').waitFor();
    await checkAccess(page);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), PHONE.width);
  });

  test('an operator adds an alert for the installation, whose URL is not shown', async () => {
    const page = await dashboard.open('/settings?tab=alerts', { as: 'operator' });
    const installation = page.getByRole('region', { name: 'Alerts for the installation' });
    await installation.getByRole('button', { name: 'Add alert' }).click();
    const form = page.getByRole('dialog', { name: 'Add alert' });
    await form.getByLabel('Send to').selectOption('slack');
    await form.getByLabel('URL').fill('https://hooks.example/services/token');
    assert.equal(await form.getByRole('checkbox', { name: 'Weekly digest' }).count(), 0);
    await form.getByRole('radio', { name: 'Only these' }).check();
    await form.getByRole('checkbox', { name: 'No worker is running' }).check();
    await form.getByRole('button', { name: 'Add', exact: true }).click();
    await installation.getByRole('listitem').getByText('No worker is running').waitFor();
    assert.equal((await page.content()).includes('services/token'), false);
  });
});
