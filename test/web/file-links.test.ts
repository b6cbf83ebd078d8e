import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { newUuid } from '../../src/model/ids.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { type OpenedDashboard, openDashboard } from '../support/dashboard.ts';
import { checkAccess } from '../support/watched-page.ts';

const MB = 1024 * 1024;

let dashboard: OpenedDashboard;
before(async () => {
  if (NO_BROWSER === false) dashboard = await openDashboard();
});
after(() => dashboard?.[Symbol.asyncDispose]());

/** Inserts a link to one file, as the web client does. @returns the address of the mailbox that owns the link */
async function insertLink(localPart: string, name: string, octets: number): Promise<string> {
  const { database } = dashboard.service;
  const { mailbox, user } = await dashboard.mailbox(localPart);
  const [id, now] = [newUuid(), new Date()];
  await database
    .insertInto('fileLinks')
    .values({
      ...mailbox,
      id,
      tokenDigest: randomBytes(32),
      tokenSealed: '',
      isForDraft: false,
      createdAt: now,
      expiresAt: new Date(now.getTime() + 14 * 86_400_000),
      subject: 'Secret plans',
    })
    .execute();
  await database
    .insertInto('linkFiles')
    .values({
      ...mailbox,
      id: newUuid(),
      linkId: id,
      name,
      type: 'text/plain',
      octets,
      received: octets,
      wholeAt: now,
      createdAt: now,
      touchedAt: now,
    })
    .execute();
  return user;
}

void test('file links of all mailboxes are listed without file names unless the project allows them, counted as usage, and revoked by admins', {
  skip: NO_BROWSER,
}, async () => {
  const empty = await dashboard.open('/file-links');
  await empty.getByRole('heading', { name: 'No file links yet' }).waitFor();
  await checkAccess(empty);
  await empty.context().close();

  const ann = await insertLink('ann', 'merger.pdf', 300 * MB);
  const viewer = await dashboard.open('/file-links', { as: 'viewer' });
  await viewer.getByRole('link', { name: ann, exact: true }).waitFor();
  assert.equal(await viewer.getByRole('button', { name: /^Revoke/ }).count(), 0);
  await viewer.context().close();

  const page = await dashboard.open('/file-links', { as: 'admin' });
  const row = page.getByRole('row').filter({ hasText: ann });
  await row.getByText(/1 file$/).waitFor();
  await row.getByText('Active', { exact: true }).waitFor();
  assert.doesNotMatch(await page.content(), /merger|Secret plans/);
  await checkAccess(page);
  await page.goto('/dashboard/usage');
  await page.getByText('300 MB').first().waitFor();
  await page.goto('/dashboard/settings');
  await Promise.all([
    page.waitForResponse((response) => response.request().method() === 'PATCH'),
    page.getByLabel('Show file names of file links').click(),
  ]);
  await page.goto('/dashboard/file-links');
  await row.getByText(/merger\.pdf$/).waitFor();
  await row.getByRole('button', { name: `Revoke the link of ${ann}, 300 MB` }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
  await row.getByText('Revoked', { exact: true }).waitFor();
  await page.context().close();
});
